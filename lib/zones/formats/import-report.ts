import type * as z from 'zod/mini';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Rule } from '../rule.ts';
import type { Hours, Vertical, ZoneContent, ZoneFile, ZoneShape, ZoneSource } from '../zone.ts';

/**
 * The results of an import (drafts of zones, problems, or questions to the operator), and the report in which the readers
 * of all formats collect them. Readers never throw, and never guess where a question is open.
 */
export interface ImportedZone {
  /** 1 to 80 characters, unique within an import. */
  readonly name: string;
  readonly shape: ZoneShape;
  readonly vertical: Vertical;
  readonly hours: Hours;
  /** The rules have no ids. Only exports of Lookout have rules. */
  readonly rules: Rule[];
  readonly source: ZoneSource;
}

export interface ImportProblem {
  /** Such as `Line 12` or `Feature 3 “Findel”, geometry 2, upperLimit`. */
  readonly place: string;
  readonly problem: string;
}

/** The problems of a value that its schema refuses. */
export function problemsOf({ issues }: z.core.$ZodError, place: string): readonly ImportProblem[] {
  return issues.map(({ path, message }) => ({
    place: [place, path.join('.')].filter(Boolean).join(', '),
    problem: message,
  }));
}

/** Sentences such as `Feature 3 “Findel”: has no geometry`. */
interface ImportNotes {
  /** Content that became no zone. */
  readonly leftOut: readonly string[];
  /** Content that was read otherwise than it is written. */
  readonly changed: readonly string[];
}

/** Drafts exist only if all of the file or box was read. */
export type ZoneImport =
  | ({ readonly kind: 'zones'; readonly drafts: readonly ImportedZone[] } & ImportNotes)
  /** `total` includes problems that are not listed. */
  | { readonly kind: 'problems'; readonly problems: readonly ImportProblem[]; readonly total: number }
  | { readonly kind: 'questions'; readonly questions: readonly ImportQuestion[] }
  /** The operator can import again with a box. */
  | { readonly kind: 'too_many'; readonly count: number; readonly bounds: Bbox };

/** Writers read zones as they are stored. */
export type ExportedZone = Pick<ZoneContent, 'shape' | 'vertical' | 'hours' | 'rules' | 'source'> & {
  readonly name: string;
};

/** A row of `ZONE_FORMATS` with its code: how a file is known, by content since names say little, reader and writer. */
export type ZoneFormat = { [Syntax in keyof FileContents]: FormatOf<Syntax> }[keyof FileContents];

export interface FormatOf<Syntax extends keyof FileContents> extends ZoneFile {
  readonly syntax: Syntax;
  /** Without it, the format is what no other one of its syntax is. */
  readonly isOf?: (content: FileContents[Syntax]) => boolean;
  /** Reports and continues, so that all problems are listed at once. */
  readonly read: (content: FileContents[Syntax], reading: Reading) => Iterable<ReadFeature>;
  /** @returns the text of a file; only of a format with a media type */
  readonly write?: (zones: readonly ExportedZone[]) => string;
}

export type ZoneFormats = Readonly<Record<string, ZoneFormat>>;

/** The input of a reader, by syntax. */
export interface FileContents {
  readonly lines: string;
  readonly xml: string;
  readonly json: JsonFile;
}

export interface JsonFile {
  /** Of a file that is a list, a document with this list as its features. */
  readonly document: Readonly<Record<string, unknown>>;
  readonly features: readonly unknown[] | undefined;
  /** The fields of the document besides its features and its type. */
  readonly others: Readonly<Record<string, unknown>>;
}

export interface Reading {
  /** RFC 3339. */
  readonly importedAt: string;
  /** `DOMParser` in a browser. May throw. */
  readonly parseXml: (xml: string) => Document;
  /** Of the whole file. A feature has its own, with the same answers. */
  readonly report: ImportReport;
}

/** As a reader returns it, before names are unique and shapes are checked. */
export interface ReadZone {
  readonly name: string;
  /** `undefined` after a report. */
  readonly shape: ZoneShape | undefined;
  readonly vertical: Vertical;
  readonly hours: Hours;
  readonly rules: Rule[];
  readonly words: Readonly<Record<string, string>>;
  /** The source that an export of Lookout names; `undefined` where the file itself is the source. */
  readonly source?: ZoneSource;
}

/** It has a report of its own, so that features outside a box drop their problems. */
export interface ReadFeature {
  readonly place: string;
  readonly zones: readonly ReadZone[];
  readonly report: ImportReport;
}

/** A file with more parts exhausts memory. */
const PARTS_MAX = 2000;

/** @returns an empty list where it reported a problem */
export function partsOf(value: unknown, place: string, report: ImportReport): readonly unknown[] {
  if (Array.isArray(value) && value.length <= PARTS_MAX) return value;
  if (Array.isArray(value)) report.problem(place, `has ${value.length} parts; at most ${PARTS_MAX} are read`);
  return [];
}

/** @returns each shape at each time, or nothing where it reported a problem */
export function zonesOf<Shape>(
  shapes: readonly Shape[],
  hours: readonly Hours[],
  place: string,
  report: ImportReport,
): { shape: Shape; hours: Hours }[] {
  const count = shapes.length * hours.length;
  if (count > PARTS_MAX) {
    report.problem(place, `has ${shapes.length} parts at ${hours.length} times; at most ${PARTS_MAX} zones are made`);
    return [];
  }
  return shapes.flatMap((shape) => hours.map((each) => ({ shape, hours: each })));
}

const PROBLEMS_LISTED = 100;
const PLACES_LISTED = 20;

/** Collects problems, open questions and notes. The first of each kind are listed, all are counted. */
export class ImportReport implements ImportNotes {
  readonly answers: ImportAnswers;
  readonly problems: ImportProblem[] = [];
  readonly leftOut: string[] = [];
  readonly changed: string[] = [];
  problemCount = 0;
  readonly #asked = new Map<QuestionId, { places: string[]; count: number }>();

  constructor(answers: ImportAnswers) {
    this.answers = answers;
  }

  problem(place: string, problem: string): undefined {
    this.problemCount += 1;
    if (this.problems.length < PROBLEMS_LISTED) this.problems.push({ place, problem });
  }

  /** @returns the answer of the operator; `undefined` while the question is open */
  ask<Id extends QuestionId>(id: Id, place: string): ImportAnswers[Id] {
    const answer = this.answers[id];
    if (answer === undefined) this.#open(id, [place], 1);
    return answer;
  }

  /** @param what the content that becomes no zone, such as `has no geometry` */
  leaveOut(place: string, what: string): undefined {
    this.leftOut.push(`${place}: ${what}`);
  }

  /** @param what is read otherwise than it is written, and how */
  change(place: string, what: string): void {
    this.changed.push(`${place}: ${what}`);
  }

  add(part: ImportReport): void {
    this.problemCount += part.problemCount;
    this.problems.push(...part.problems.slice(0, PROBLEMS_LISTED - this.problems.length));
    for (const [id, { places, count }] of part.#asked) this.#open(id, places, count);
    for (const each of part.leftOut) this.leftOut.push(each);
    for (const each of part.changed) this.changed.push(each);
  }

  questions(): readonly ImportQuestion[] {
    return Array.from(this.#asked, ([id, asked]) => ({ id, ...QUESTIONS[id], ...asked }));
  }

  #open(id: QuestionId, places: readonly string[], count: number): void {
    const asked = this.#asked.get(id) ?? { places: [], count: 0 };
    asked.count += count;
    asked.places.push(...places.slice(0, PLACES_LISTED - asked.places.length));
    this.#asked.set(id, asked);
  }
}

/** Answers of the operator. An answer applies to every place of its question. */
export interface ImportAnswers {
  /** The unit of radii in volumes whose limits are in feet. */
  readonly radius?: 'feet' | 'metres';
  /** The IANA name for times without a zone. */
  readonly time_zone?: string;
  /** Hours that a zone can't have become wider. */
  readonly hours?: 'widen';
  /** One is kept where their fields differ. */
  readonly heights?: 'floor' | 'ceiling';
  /** Flight levels are no limit, or 100 ft each in `altitude_m`. */
  readonly flight_levels?: 'open' | 'standard';
  /** The reference of heights that state none. */
  readonly reference?: 'amsl' | 'agl';
  /** The meaning of a point before three digits. */
  readonly point?: 'thousands' | 'decimals';
  /** The radius of a point in metres. */
  readonly points?: 'leave_out' | number;
  /** The half width in metres. */
  readonly lines?: 'leave_out' | number;
  readonly closed_lines?: 'area' | 'line';
  readonly corners?: 'simplify';
}

export type QuestionId = keyof ImportAnswers;

export interface ImportQuestion {
  readonly id: QuestionId;
  readonly text: string;
  readonly places: readonly string[];
  readonly count: number;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  /** A length in metres or an IANA name, which the operator may write instead of a choice. */
  readonly free: 'metres' | 'time_zone' | null;
}

type Asked = Pick<ImportQuestion, 'text' | 'choices' | 'free'>;

const LEAVE_OUT = { value: 'leave_out', label: 'Leave them out' };

const QUESTIONS: Readonly<Record<QuestionId, Asked>> = {
  radius: {
    text: 'These circles are in volumes measured in feet. Publishers differ on whether the radius is in feet too.',
    choices: [
      { value: 'metres', label: 'The radius is in metres' },
      { value: 'feet', label: 'The radius is in feet' },
    ],
    free: null,
  },
  time_zone: { text: 'These times state no time zone. In which time zone are they?', choices: [], free: 'time_zone' },
  hours: {
    text: 'A zone has either weekly windows or one span of dates. The file limits these zones in another way.',
    choices: [{ value: 'widen', label: 'Use wider hours that contain them: weekly windows without dates, or always' }],
    free: null,
  },
  heights: {
    text: 'These zones have one limit above ground and the other above sea level. A zone tests one height field.',
    choices: [
      { value: 'ceiling', label: 'Keep the ceiling, with no floor' },
      { value: 'floor', label: 'Keep the floor, with no ceiling' },
    ],
    free: null,
  },
  flight_levels: {
    text: 'These limits are flight levels: altitudes by air pressure. The altitude of a position has no stated datum.',
    choices: [
      { value: 'open', label: 'Leave these limits open: not stated in metres' },
      { value: 'standard', label: 'Use 100 ft a level as altitude, which can be wrong by some hundred metres' },
    ],
    free: null,
  },
  reference: {
    text: 'These heights do not say from where they are measured.',
    choices: [
      { value: 'amsl', label: 'They are altitudes above mean sea level (AMSL)' },
      { value: 'agl', label: 'They are heights above ground (AGL)' },
    ],
    free: null,
  },
  point: {
    text: 'In these heights a point is followed by three digits.',
    choices: [
      { value: 'thousands', label: 'It groups thousands: 3.500 is three thousand five hundred' },
      { value: 'decimals', label: 'It begins decimals: 3.500 is three and a half' },
    ],
    free: null,
  },
  points: {
    text: 'These points have no area. Which radius around them is the zone?',
    choices: [LEAVE_OUT],
    free: 'metres',
  },
  lines: {
    text: 'These lines have no area. How wide is the zone on each side?',
    choices: [LEAVE_OUT],
    free: 'metres',
  },
  closed_lines: {
    text: 'These lines end where they begin. Which zone do they make?',
    choices: [
      { value: 'area', label: 'The area within' },
      { value: 'line', label: 'A strip along the line' },
    ],
    free: null,
  },
  corners: {
    text: 'These shapes have more corners than a zone can have.',
    choices: [{ value: 'simplify', label: 'Remove corners; the words of each zone say how far its edge moves' }],
    free: null,
  },
};
