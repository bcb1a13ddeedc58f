// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// The daemon's version, as `hello` and `--version` tell it.
package let version = "0.1.0"
