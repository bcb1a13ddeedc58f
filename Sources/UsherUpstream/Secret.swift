// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Text that must not be seen: it does not show when it, or whatever holds it, is printed, dumped
/// or interpolated.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The text itself, for the one place that sends it.
    let text: String

    package init(_ text: String) {
        self.text = text
    }

    package var description: String { "(secret)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
