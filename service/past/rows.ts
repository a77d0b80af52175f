import { grown } from '#lib/columns/typed-arrays.ts';
import { UNREPORTED } from '#lib/columns/unreported.ts';
import { REPORTED_LABELS, REPORTED_NAMES } from '../sources/observation.ts';

/** The columns of the past, in whole steps (`stored-observation.ts`). */
export const STORED_NAMES = ['offsetMs', 'lon', 'lat', ...REPORTED_NAMES, 'flags'] as const;
export type StoredName = (typeof STORED_NAMES)[number];

export type StoredRow = Readonly<Record<StoredName, number>>;
export type StoredColumns = Readonly<Record<StoredName, Int32Array>>;

/** Rows in the order of appending. `track[row]` and the labels are numbers in their dictionaries. */
export class Rows {
  length = 0;
  track = new Uint32Array(64);
  readonly columns: Record<StoredName, Int32Array>;
  /** Keys of tracks by number, of 32 hex digits each. */
  readonly trackKeys: string[] = [];
  readonly labels: string[] = [];
  readonly #trackNumbers = new Map<string, number>();
  readonly #labelNumbers = new Map<string, number>();

  constructor() {
    const columns: Partial<Record<StoredName, Int32Array>> = {};
    for (const name of STORED_NAMES) columns[name] = new Int32Array(64);
    this.columns = columns as Record<StoredName, Int32Array>;
  }

  trackNumber(key: string): number {
    return numberIn(this.trackKeys, this.#trackNumbers, key);
  }

  labelNumber(label: string): number {
    return numberIn(this.labels, this.#labelNumbers, label);
  }

  add(track: number, row: StoredRow): void {
    const { length, columns } = this;
    if (length === this.track.length) this.#grow();
    this.track[length] = track;
    for (const name of STORED_NAMES) columns[name][length] = row[name];
    this.length += 1;
  }

  addAll(more: Rows): void {
    while (this.track.length < this.length + more.length) this.#grow();
    const tracks = more.trackKeys.map((key) => this.trackNumber(key));
    const labels = more.labels.map((label) => this.labelNumber(label));
    for (let row = 0; row < more.length; row += 1) this.track[this.length + row] = tracks[more.track[row]!]!;
    for (const name of STORED_NAMES) {
      const [from, to] = [more.columns[name], this.columns[name]];
      const isLabel = REPORTED_LABELS.some((label) => label === name);
      for (let row = 0; row < more.length; row += 1) {
        const value = from[row]!;
        to[this.length + row] = isLabel && value !== UNREPORTED ? labels[value]! : value;
      }
    }
    this.length += more.length;
  }

  #grow(): void {
    this.track = grown(this.track);
    for (const name of STORED_NAMES) this.columns[name] = grown(this.columns[name]);
  }
}

function numberIn(dictionary: string[], numbers: Map<string, number>, text: string): number {
  const known = numbers.get(text);
  if (known !== undefined) return known;
  numbers.set(text, dictionary.length);
  return dictionary.push(text) - 1;
}

export function rowOf(columns: StoredColumns, row: number): Record<StoredName, number> {
  const stored: Partial<Record<StoredName, number>> = {};
  for (const name of STORED_NAMES) stored[name] = columns[name][row]!;
  return stored as Record<StoredName, number>;
}
