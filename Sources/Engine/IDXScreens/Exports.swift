// The screens are a part of IDXFlow now; `import IDXScreens` still works.
@_exported public import IDXFlow
