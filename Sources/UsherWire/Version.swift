// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// The version of the daemon, the client library and the shell's client, which are released together.
package let productVersion = "0.1.0"
