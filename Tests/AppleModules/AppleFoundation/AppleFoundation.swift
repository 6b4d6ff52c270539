// Foundation of Apple platforms, in place of which `.ci/check-apple` imports this module.
//
// FoundationEssentials is the same on both systems, and brings no functions of Linux with it. The other
// types are those of Linux, which have some members more or less than Apple's. Core Foundation's types are
// bridged to these types without a conversion. On Apple platforms, they are types of their own.

@_exported public import Darwin
@_exported public import Dispatch
import Foundation
@_exported public import FoundationEssentials
import FoundationNetworking

public typealias Bundle = Foundation.Bundle
public typealias CGFloat = Foundation.CGFloat
public typealias CGRect = Foundation.CGRect
public typealias CGSize = Foundation.CGSize
public typealias CharacterSet = Foundation.CharacterSet
public typealias DateFormatter = Foundation.DateFormatter
public typealias FileHandle = Foundation.FileHandle
public typealias HTTPCookie = FoundationNetworking.HTTPCookie
public typealias HTTPCookieStorage = FoundationNetworking.HTTPCookieStorage
public typealias HTTPURLResponse = FoundationNetworking.HTTPURLResponse
public typealias JSONSerialization = Foundation.JSONSerialization
public typealias NSDictionary = Foundation.NSDictionary
public typealias NSError = Foundation.NSError
public typealias NSLock = Foundation.NSLock
public typealias PersonNameComponents = Foundation.PersonNameComponents
public typealias NSObject = Foundation.NSObject
public typealias NSObjectProtocol = Foundation.NSObjectProtocol
public typealias NSString = Foundation.NSString
public typealias POSIXError = Foundation.POSIXError
public typealias POSIXErrorCode = Foundation.POSIXErrorCode
public typealias PropertyListSerialization = Foundation.PropertyListSerialization
public typealias Thread = Foundation.Thread
public typealias URLAuthenticationChallenge = FoundationNetworking.URLAuthenticationChallenge
public typealias URLCredential = FoundationNetworking.URLCredential
public typealias URLError = Foundation.URLError
public typealias URLProtectionSpace = FoundationNetworking.URLProtectionSpace
public typealias URLRequest = FoundationNetworking.URLRequest
public typealias URLResponse = FoundationNetworking.URLResponse
public typealias URLSession = FoundationNetworking.URLSession
public typealias URLSessionConfiguration = FoundationNetworking.URLSessionConfiguration
public typealias URLSessionDataDelegate = FoundationNetworking.URLSessionDataDelegate
public typealias URLSessionDataTask = FoundationNetworking.URLSessionDataTask
public typealias URLSessionDelegate = FoundationNetworking.URLSessionDelegate
public typealias URLSessionTask = FoundationNetworking.URLSessionTask
public typealias URLSessionTaskDelegate = FoundationNetworking.URLSessionTaskDelegate

public let NSLocalizedDescriptionKey = Foundation.NSLocalizedDescriptionKey

#if os(macOS)
  public typealias Pipe = Foundation.Pipe
  public typealias Process = Foundation.Process
#endif

// MARK: - Core Foundation

public typealias CFArray = Foundation.NSArray
public typealias CFData = Foundation.NSData
public typealias CFDictionary = Foundation.NSDictionary
public typealias CFError = Foundation.NSError
public typealias CFString = Foundation.NSString
public typealias CFTypeRef = AnyObject
public typealias CFTypeID = UInt
public typealias OSStatus = Int32
