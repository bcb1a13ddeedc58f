// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Why a connection was closed.
package enum CloseReason: Error, Equatable {
    /// This side closed it.
    case local
    /// The peer closed its end: nobody is left to write to.
    case hangUp
    /// Reading or writing failed, or not everything could be sent in time (ETIMEDOUT).
    case failed(LoopError)
}
