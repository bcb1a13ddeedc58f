// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// How a store fares, counted since it was opened.
package struct StoreStatus: Sendable, Hashable {
    /// Changes that were stored.
    package var commits = 0
    /// Changes that were refused or failed.
    package var failures = 0
    /// Transactions that stored them; fewer than ``commits`` when changes were grouped.
    package var transactions = 0
    /// The most changes that one transaction stored.
    package var largestGroup = 0
    /// Attempts to write again while every change was refused.
    package var probes = 0
    /// Why the last change that failed did, or the last attempt to write again.
    package var lastError: StoreError?
    /// Whether every change is refused until an attempt to write succeeds.
    package var isDegraded = false

    package init() {}
}
