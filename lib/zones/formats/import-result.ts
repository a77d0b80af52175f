import type { Bbox } from '#lib/geo/bbox.ts';
import type { Rule } from '../rule.ts';
import type { Hours, Vertical, ZoneShape, ZoneSource } from '../zone.ts';
import type { ImportQuestion } from './import-question.ts';

/** A zone as a file defines it. */
export interface ZoneDraft {
  /** 1 to 80 characters; no two drafts of an import share a name. */
  readonly name: string;
  readonly shape: ZoneShape;
  readonly vertical: Vertical;
  readonly hours: Hours;
  /** Only files that Lookout exported have rules. They are without ids. */
  readonly rules: Rule[];
  readonly source: ZoneSource;
}

export interface ImportProblem {
  /** Such as `Line 12` or `Feature 3 “Findel”, geometry 2, upperLimit`. */
  readonly place: string;
  readonly problem: string;
}

/** An import is all or nothing: drafts exist only if the whole file, or all of it in the box, was read. */
export type ZoneImport =
  | { readonly kind: 'zones'; readonly drafts: readonly ZoneDraft[]; readonly leftOut: readonly string[] }
  /** `total` counts the problems beyond the listed ones too. */
  | { readonly kind: 'problems'; readonly problems: readonly ImportProblem[]; readonly total: number }
  /** The file leaves these open. Import again with the answers. */
  | { readonly kind: 'questions'; readonly questions: readonly ImportQuestion[] }
  /** More zones than Lookout keeps. Import again with a box. */
  | { readonly kind: 'too_many'; readonly count: number; readonly bounds: Bbox };
