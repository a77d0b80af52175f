import type { Bbox } from '#lib/geo/bbox.ts';
import type { Rule } from '../rule.ts';
import type { Hours, Vertical, ZoneShape, ZoneSource } from '../zone.ts';
import type { ImportQuestion } from './import-question.ts';

export interface ImportedZone {
  /** 1 to 80 characters, unique within an import. */
  readonly name: string;
  readonly shape: ZoneShape;
  readonly vertical: Vertical;
  readonly hours: Hours;
  /** Only from exports of Lookout; without ids. */
  readonly rules: Rule[];
  readonly source: ZoneSource;
}

export interface ImportProblem {
  /** Such as `Line 12` or `Feature 3 “Findel”, geometry 2, upperLimit`. */
  readonly place: string;
  readonly problem: string;
}

/** Sentences such as `Feature 3 “Findel”: has no geometry`. */
export interface ImportNotes {
  /** Content that became no zone. */
  readonly leftOut: readonly string[];
  /** Content that was read otherwise than it is written. */
  readonly changed: readonly string[];
}

/** Drafts exist only if all of the file or box was read. */
export type ZoneImport =
  | ({ readonly kind: 'zones'; readonly drafts: readonly ImportedZone[] } & ImportNotes)
  /** `total` includes unlisted problems. */
  | { readonly kind: 'problems'; readonly problems: readonly ImportProblem[]; readonly total: number }
  | { readonly kind: 'questions'; readonly questions: readonly ImportQuestion[] }
  /** Import again with a box. */
  | { readonly kind: 'too_many'; readonly count: number; readonly bounds: Bbox };
