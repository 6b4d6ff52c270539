// `import IDXFlow` is enough to embed the engine: it brings the responses, the credentials and the
// values that its own API uses.
@_exported public import IDX
@_exported public import IDXBase
@_exported public import IDXOAuth
