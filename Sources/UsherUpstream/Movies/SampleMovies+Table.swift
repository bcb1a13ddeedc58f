// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherWire

extension SampleMovies {
    /// The films of the table, numbered from 1.
    static var table: [Movie] {
        rows.split(separator: "\n").enumerated().map { index, row in
            let fields = row.split(separator: "|").map(String.init)
            precondition(fields.count == 5, "row \(index + 1) of the sample needs five fields")
            var movie = Movie(id: Int64(index + 1), title: fields[0])
            movie.originalTitle = fields[1] == "=" ? fields[0] : fields[1]
            movie.originalLanguage = fields[2]
            movie.releaseDate = fields[3]
            movie.genreIDs = fields[4].split(separator: " ").map { word in
                guard let genre = Int64(word) else {
                    preconditionFailure("a genre of row \(index + 1) of the sample is no number")
                }
                return genre
            }
            return movie
        }
    }

    /// One film a line: title, original title (`=`: the same), language, an early showing, genres.
    ///
    /// Genres: 12 adventure, 14 fantasy, 16 animation, 18 drama, 27 horror, 28 action, 35 comedy,
    /// 36 history, 37 western, 53 thriller, 80 crime, 878 science fiction, 9648 mystery, 10402
    /// music, 10749 romance, 10751 family, 10752 war.
    private static let rows = """
        The Godfather|=|en|1972-03-14|18 80
        The Shawshank Redemption|=|en|1994-09-10|18 80
        Spirited Away|千と千尋の神隠し|ja|2001-07-20|16 10751 14
        Parasite|기생충|ko|2019-05-21|35 53 18
        Pulp Fiction|=|en|1994-05-21|53 80
        The Dark Knight|=|en|2008-07-14|18 28 80 53
        Seven Samurai|七人の侍|ja|1954-04-26|28 18
        City of God|Cidade de Deus|pt|2002-05-18|18 80
        Amélie|Le Fabuleux Destin d'Amélie Poulain|fr|2001-04-25|35 10749
        The Matrix|=|en|1999-03-24|28 878
        Inception|=|en|2010-07-08|28 878 12
        Casablanca|=|en|1942-11-26|18 10749
        Psycho|=|en|1960-06-16|27 53 9648
        Alien|=|en|1979-05-25|27 878
        Jaws|=|en|1975-06-20|27 53 12
        Star Wars|=|en|1977-05-25|12 28 878
        The Empire Strikes Back|=|en|1980-05-17|12 28 878
        Back to the Future|=|en|1985-07-03|12 35 878
        Jurassic Park|=|en|1993-06-09|12 878
        Schindler's List|=|en|1993-11-30|18 36 10752
        Forrest Gump|=|en|1994-06-23|35 18 10749
        Titanic|=|en|1997-11-01|18 10749
        The Lion King|=|en|1994-06-15|10751 16 18
        Toy Story|=|en|1995-11-19|16 12 10751 35
        Finding Nemo|=|en|2003-05-18|16 10751
        WALL·E|=|en|2008-06-21|16 10751 878
        Fight Club|=|en|1999-09-10|18
        Se7en|=|en|1995-09-15|80 9648 53
        The Silence of the Lambs|=|en|1991-01-30|80 18 53
        GoodFellas|=|en|1990-09-09|18 80
        Taxi Driver|=|en|1976-02-08|80 18
        Apocalypse Now|=|en|1979-05-19|18 10752
        2001: A Space Odyssey|=|en|1968-04-02|878 9648 12
        Dr. Strangelove|=|en|1964-01-29|35 10752
        The Shining|=|en|1980-05-23|27 53
        Blade Runner|=|en|1982-06-25|878 18 53
        Gladiator|=|en|2000-05-01|28 18 12
        Saving Private Ryan|=|en|1998-07-21|18 36 10752
        The Green Mile|=|en|1999-12-06|14 18 80
        Memento|=|en|2000-09-05|9648 53
        The Departed|=|en|2006-09-26|18 53 80
        There Will Be Blood|=|en|2007-09-27|18
        No Country for Old Men|=|en|2007-05-19|80 18 53
        Fargo|=|en|1996-03-08|80 18 53
        The Big Lebowski|=|en|1998-01-18|35 80
        Groundhog Day|=|en|1993-02-04|10749 14 18 35
        The Truman Show|=|en|1998-06-01|35 18
        Eternal Sunshine of the Spotless Mind|=|en|2004-03-09|878 18 10749
        Lost in Translation|=|en|2003-08-29|18 10749 35
        Before Sunrise|=|en|1995-01-19|18 10749
        The Lord of the Rings: The Fellowship of the Ring|=|en|2001-12-10|12 14 28
        The Lord of the Rings: The Two Towers|=|en|2002-12-05|12 14 28
        The Lord of the Rings: The Return of the King|=|en|2003-12-01|12 14 28
        Mad Max: Fury Road|=|en|2015-05-07|28 12 878
        Interstellar|=|en|2014-10-26|12 18 878
        Arrival|=|en|2016-09-01|18 878 9648
        Whiplash|=|en|2014-01-16|18 10402
        Moonlight|=|en|2016-09-02|18
        Get Out|=|en|2017-02-24|9648 53 27
        Spider-Man: Into the Spider-Verse|=|en|2018-12-01|16 28 12 878
        Everything Everywhere All at Once|=|en|2022-03-11|28 12 878
        Oppenheimer|=|en|2023-07-11|18 36
        Barbie|=|en|2023-07-09|35 12
        Dune|=|en|2021-09-03|878 12
        La La Land|=|en|2016-08-31|35 18 10749 10402
        The Grand Budapest Hotel|=|en|2014-02-06|35 18
        Citizen Kane|=|en|1941-05-01|9648 18
        Gone with the Wind|=|en|1939-12-15|18 10752 10749
        The Wizard of Oz|=|en|1939-08-10|12 14 10751
        Modern Times|=|en|1936-02-05|35 18 10749
        City Lights|=|en|1931-01-30|35 18 10749
        It's a Wonderful Life|=|en|1946-12-20|18 10751 14
        Singin' in the Rain|=|en|1952-03-27|35 10402 10749
        Rear Window|=|en|1954-08-01|53 9648
        Vertigo|=|en|1958-05-09|9648 10749 53
        North by Northwest|=|en|1959-07-01|9648 53
        12 Angry Men|=|en|1957-04-10|18
        Some Like It Hot|=|en|1959-03-19|35 10749 80
        Lawrence of Arabia|=|en|1962-12-10|12 36 10752
        Metropolis|=|de|1927-01-10|18 878
        M|=|de|1931-05-11|18 53 80
        Das Boot|=|de|1981-09-17|18 36 10752
        Run Lola Run|Lola rennt|de|1998-08-20|28 18 53
        The Lives of Others|Das Leben der Anderen|de|2006-03-23|18 53
        The 400 Blows|Les Quatre Cents Coups|fr|1959-05-04|18
        Breathless|À bout de souffle|fr|1960-03-16|18 80
        La Haine|=|fr|1995-05-31|18
        Bicycle Thieves|Ladri di biciclette|it|1948-11-24|18
        8½|=|it|1963-02-14|14 18
        Cinema Paradiso|Nuovo Cinema Paradiso|it|1988-11-17|18 10749
        Life Is Beautiful|La vita è bella|it|1997-12-20|35 18
        The Good, the Bad and the Ugly|Il buono, il brutto, il cattivo|it|1966-12-23|37
        Pan's Labyrinth|El laberinto del fauno|es|2006-05-27|14 18 10752
        Rashomon|羅生門|ja|1950-08-26|80 18 9648
        Tokyo Story|東京物語|ja|1953-11-03|18
        My Neighbor Totoro|となりのトトロ|ja|1988-04-16|14 16 10751
        Princess Mononoke|もののけ姫|ja|1997-07-12|12 14 16
        Your Name.|君の名は。|ja|2016-07-03|16 10749 18
        Oldboy|올드보이|ko|2003-11-21|18 53 9648 28
        In the Mood for Love|花樣年華|cn|2000-05-20|18 10749
        Crouching Tiger, Hidden Dragon|臥虎藏龍|zh|2000-07-06|12 18 28 10749
        Pather Panchali|পথের পাঁচালী|bn|1955-08-26|18
        Stalker|Сталкер|ru|1979-05-25|878 18
        The Seventh Seal|Det sjunde inseglet|sv|1957-02-16|14 18
        """
}
