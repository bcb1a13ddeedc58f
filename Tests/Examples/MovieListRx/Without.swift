// Part of Usher. SPDX-License-Identifier: Apache-2.0

#if !RxSwift
/// Stands in where the trait is off.
@main
struct Without {
    static func main() {
        print("Start it with: swift run --traits RxSwift MovieListRx")
    }
}
#endif
