import { hoursOfWindows, type StatedWindow } from '../reading/hours-of-windows.ts';
import { ImportReport } from '../reading/import-report.ts';
import { type Limit, readVertical } from '../reading/limits.ts';
import { type ReadFeature, zonesOf } from '../reading/read-zone.ts';
import { wordsOf } from '../reading/words.ts';
import { openAirLimit } from './open-air-limit.ts';
import { OpenAirShape } from './open-air-shape.ts';

const COMMAND = /^(A[A-Z]|D[PCABY]|V|S[PB]|T[OC])(?:\s+(.*))?$/i;
const LINE_MAX_LENGTH = 2000;

export function isOpenAir(text: string): boolean {
  return /^[ \t]{0,20}AC[ \t]/im.test(text);
}

/** By Naviter's description; terrain (`TO`, `TC`) is a problem. */
export function* readOpenAir(text: string, importedAt: string, report: ImportReport): Generator<ReadFeature> {
  let airspace: Airspace | undefined;
  for (const { line, number } of linesOf(text)) {
    const place = `Line ${number}`;
    const [, name = '', rest = ''] = COMMAND.exec(line) ?? [];
    const command = name.toUpperCase();
    if (command === 'AC') {
      if (airspace) yield airspace.feature(importedAt);
      airspace = new Airspace(place, new ImportReport(report.answers));
    }
    // Colours for drawing.
    if (command === 'SP' || command === 'SB') continue;
    if (!airspace) report.problem(place, `is “${line.slice(0, 40)}”, before the first airspace (AC)`);
    else if (line.length > LINE_MAX_LENGTH)
      airspace.report.problem(place, `is longer than ${LINE_MAX_LENGTH} characters`);
    else if (command === '') airspace.report.problem(place, `is “${line.slice(0, 40)}”, which OpenAir does not define`);
    else airspace.read(command, rest.trim(), place);
  }
  if (airspace) yield airspace.feature(importedAt);
}

/** Non-empty lines, ended by LF, CR LF or CR. */
function* linesOf(whole: string): Generator<{ line: string; number: number }> {
  const text = whole.replaceAll(/\r\n?/g, '\n');
  let number = 0;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    number += 1;
    const line = text.slice(start, end).trim();
    if (line !== '' && !line.startsWith('*')) yield { line, number };
    start = end + 1;
  }
}

class Airspace {
  readonly report: ImportReport;
  readonly #place: string;
  readonly #shape: OpenAirShape;
  /** Texts of the `A` lines; repeated ones are joined. */
  readonly #words = new Map<string, string>();
  readonly #limits = new Map<string, Limit>();
  readonly #windows: StatedWindow[] = [];

  constructor(place: string, report: ImportReport) {
    this.report = report;
    this.#place = place;
    this.#shape = new OpenAirShape(report);
  }

  read(command: string, rest: string, place: string): void {
    if (command.startsWith('T')) this.report.problem(place, 'begins terrain, which is no airspace');
    else if (command === 'V') this.#shape.variable(withoutComment(rest), place);
    else if (command.startsWith('D')) this.#shape.draw(command, withoutComment(rest), place);
    else this.#describe(command, withoutComment(rest), place);
  }

  feature(importedAt: string): ReadFeature {
    const name = this.#words.get('AN') ?? '';
    const place = name === '' ? this.#place : `${this.#place} “${name.slice(0, 60)}”`;
    const shapes = this.#shape.shapes(place);
    const { vertical, words } = readVertical(
      this.#limits.get('AL') ?? null,
      this.#limits.get('AH') ?? null,
      place,
      this.report,
    );
    const hours = hoursOfWindows(this.#windows, importedAt, this.report);
    const allWords = { ...wordsOf(Object.fromEntries(this.#words)), ...words };
    const zones = zonesOf(shapes, hours, place, this.report).map((zone) => ({
      ...zone,
      name: name || place,
      vertical,
      rules: [],
      words: allWords,
    }));
    return { place, report: this.report, zones };
  }

  #describe(command: string, text: string, place: string): void {
    const before = this.#words.get(command);
    if (before !== undefined && (command === 'AH' || command === 'AL' || command === 'AN'))
      this.report.problem(place, `is a second ${command} of the airspace`);
    this.#words.set(command, before === undefined ? text : `${before} | ${text}`);
    if (command === 'AH' || command === 'AL') this.#limits.set(command, openAirLimit(text, place, this.report));
    if (command === 'AA') this.#window(text.split(';', 1).join('').trim(), place);
  }

  /** `AA 2026-12-16T12:00Z/2026-12-16T13:00Z`; `NONE` for an unstated end. */
  #window(text: string, place: string): void {
    if (/^none$/i.test(text)) {
      // Inactive until a NOTAM, which Lookout does not read.
      this.report.ask('hours', `${place}: times that other publications state`);
      return;
    }
    const edges = text.split('/').map((edge) => (/^none$/i.test(edge.trim()) ? null : edge.trim()));
    if (edges.length !== 2) this.report.problem(place, `is “${text.slice(0, 60)}”, which is no time span`);
    else this.#windows.push({ start: edges[0], end: edges[1], schedule: [], place });
  }
}

function withoutComment(text: string): string {
  return text.split('*', 1).join('').trim();
}
