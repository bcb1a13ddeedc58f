// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// The last piece that was appended.
package final class SharedOutput {
    private(set) var piece: [UInt8] = []

    package init() {}

    package func append(_ first: [UInt8], _ second: [UInt8]) { piece = first + second }

    package static func renew(_ output: inout SharedOutput) {}
}
