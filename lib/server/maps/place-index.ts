import 'server-only';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  type FoundPlace,
  type FoundRunway,
  NEAR_PLACES_MAX_M,
  PLACES_MAX_RESULTS,
  type PlacesAnswer,
} from '#lib/api/places-answer.ts';
import { commandText, isRelease } from '#lib/commands/command-text.ts';
import { distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { grownBox } from '#lib/geo/grown-box.ts';
import { foldedName, PLACE_INDEX_VERSION } from '#lib/model/folded-name.ts';
import { isReadVersion, OtherVersion } from '#lib/version/file-version.ts';

/** The file that scripts/places writes. */
export const PLACE_INDEX_PATH = '.places/places.sqlite';

/** SQLite's page cache, whatever the size of the index. */
const CACHE_KIB = 2048;

/** Names that contain the words are compared among so many of the most important. */
const CANDIDATES = 200;

interface Row {
  readonly id: number;
  readonly kind: FoundPlace['kind'];
  readonly name: string;
  readonly folded: string;
  readonly codes: string;
  readonly city: string | null;
  readonly country: string;
  readonly population: number | null;
  readonly closed: number;
  readonly major: number;
  readonly lat: number;
  readonly lon: number;
}

interface RunwayRow {
  readonly name: string;
  readonly from_lon: number;
  readonly from_lat: number;
  readonly to_lon: number;
  readonly to_lat: number;
}

interface Statements {
  readonly byCode: StatementSync;
  readonly byWholeName: StatementSync;
  readonly byWords: StatementSync;
  readonly inBox: StatementSync;
  readonly runwaysOf: StatementSync;
  readonly searched: PlacesAnswer['searched'];
}

/** Rows are numbered by importance, so that a search stops after the most important matches. */
export class PlaceIndex {
  readonly #path: string;
  #opened: Statements | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws Error that says what to do */
  open(): void {
    try {
      this.#statements();
    } catch (error) {
      const index = `The index of places, ${this.#path},`;
      const remedy = isRelease()
        ? 'unpack the release again'
        : `delete the folder .places, and ${commandText('lookout')} builds it again`;
      if (error instanceof OtherVersion) throw new Error(error.text(index, remedy));
      const because = error instanceof Error ? error.message : String(error);
      throw new Error(`${index} cannot be read (${because}). It is part of the installation: ${remedy}.`);
    }
  }

  /**
   * The matches: codes, exact names, prefixes, then words; closed airports last.
   * @throws Error if the file is missing or was not made by scripts/places
   */
  find(text: string): PlacesAnswer {
    const { byCode, byWholeName, byWords, runwaysOf, searched } = this.#statements();
    const folded = foldedName(text);
    const words = folded.split(' ').filter((word) => word !== '');
    if (words.length === 0) return { results: [], more: false, searched };
    const match = words.map((word) => `"${word}"*`).join(' AND ');
    const found = new Map<number, Row>();
    const add = (rows: readonly unknown[]) => {
      for (const row of rows as readonly Row[]) if (!found.has(row.id)) found.set(row.id, row);
    };
    if (words.length === 1) add(byCode.all(folded));
    add(byWholeName.all(folded, PLACES_MAX_RESULTS));
    const named = byWords.all(`name : (${match})`, CANDIDATES) as unknown as Row[];
    add(named.filter((row) => row.folded.startsWith(folded)));
    add(named);
    // Words of the country or city, as in `paris us`.
    if (words.length > 1 && found.size <= PLACES_MAX_RESULTS) add(byWords.all(match, CANDIDATES));
    const ordered = [...found.values()].sort((a, b) => a.closed - b.closed);
    return {
      results: ordered
        .slice(0, PLACES_MAX_RESULTS)
        .map((row) => foundPlace(row, (runwaysOf.all(row.id) as unknown as RunwayRow[]).map(foundRunway))),
      more: ordered.length > PLACES_MAX_RESULTS,
      searched,
    };
  }

  /**
   * The nearest airports in use, then the nearest towns, within `NEAR_PLACES_MAX_M`.
   * @throws Error if the file is missing or was not made by scripts/places
   */
  near(place: LonLat): PlacesAnswer {
    const { inBox, runwaysOf, searched } = this.#statements();
    const { west, south, east, north } = grownBox(
      { west: place.lon, south: place.lat, east: place.lon, north: place.lat },
      NEAR_PLACES_MAX_M,
    );
    const spans =
      west <= east
        ? [[west, east]]
        : [
            [west, 180],
            [-180, east],
          ];
    const rows = spans.flatMap((span) => inBox.all(south, north, ...span)) as unknown as Row[];
    const nearest = rows
      .map((row) => ({ row, metres: distanceM(place, row) }))
      .filter(({ metres }) => metres <= NEAR_PLACES_MAX_M)
      .sort((a, b) => a.metres - b.metres);
    const [airports, towns] = ['airport', 'place'].map((kind) =>
      nearest.filter(({ row }) => row.kind === kind).slice(0, PLACES_MAX_RESULTS / 2),
    ) as [typeof nearest, typeof nearest];
    return {
      results: [...airports, ...towns].map(({ row }) =>
        foundPlace(row, (runwaysOf.all(row.id) as unknown as RunwayRow[]).map(foundRunway)),
      ),
      more: nearest.length > airports.length + towns.length,
      searched,
    };
  }

  #statements(): Statements {
    this.#opened ??= open(this.#path);
    return this.#opened;
  }
}

function open(path: string): Statements {
  const database = new DatabaseSync(path, { readOnly: true });
  const { user_version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (!isReadVersion(user_version, PLACE_INDEX_VERSION)) throw new Error('it has no version');
  database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  const row = 'place.*';
  return {
    byCode: database.prepare(`SELECT ${row} FROM code JOIN place USING (id) WHERE code = ? ORDER BY id LIMIT 20`),
    byWholeName: database.prepare(`SELECT ${row} FROM place WHERE folded = ? ORDER BY id LIMIT ?`),
    byWords: database.prepare(
      `SELECT ${row} FROM (SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid LIMIT ?) AS hit
       JOIN place ON place.id = hit.rowid ORDER BY place.id`,
    ),
    runwaysOf: database.prepare(
      'SELECT name, from_lon, from_lat, to_lon, to_lat FROM runway WHERE id = ? ORDER BY name',
    ),
    inBox: database.prepare(
      `SELECT ${row} FROM place WHERE lat BETWEEN ? AND ? AND lon BETWEEN ? AND ? AND closed = 0
       AND kind IN ('airport', 'place')`,
    ),
    searched: database.prepare('SELECT places, airports FROM searched').get() as unknown as PlacesAnswer['searched'],
  };
}

function foundPlace(
  { id: _, folded: __, codes, closed, major, ...row }: Row,
  runways: readonly FoundRunway[],
): FoundPlace {
  return {
    ...row,
    codes: codes === '' ? [] : codes.split(' '),
    closed: closed === 1,
    major: major === 1,
    runways: [...runways],
  };
}

function foundRunway({ name, from_lon, from_lat, to_lon, to_lat }: RunwayRow): FoundRunway {
  return {
    name,
    ends: [
      [from_lon, from_lat],
      [to_lon, to_lat],
    ],
  };
}
