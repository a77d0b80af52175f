import type { Bbox } from '../geo/bbox.ts';
import { boxFromCorners } from '../geo/corners.ts';
import { instantOf, type UpstreamInstant } from '../time/instant.ts';

type Renamed<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Renamed<Rest>>}`
  : Name;

/** How the names of instants end, in every answer of the API. */
type InstantName = 'as_of' | 'since' | 'until' | `${string}_at` | `${string}_since` | `${string}_until`;
const INSTANT_NAME = /^as_of$|(?:^|_)(?:at|since|until)$/;

type ReadField<Name, Value> = Name extends 'bbox'
  ? Bbox
  : Value extends string
    ? Name extends InstantName
      ? UpstreamInstant
      : Value
    : ReadAnswer<Value>;

export type ReadAnswer<Value> = Value extends null
  ? undefined
  : Value extends readonly (infer Item)[]
    ? readonly ReadAnswer<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value as Name extends string ? Renamed<Name> : Name]: ReadField<Name, Value[Name]> }
      : Value;

/**
 * A parsed answer of Lookout's API as the page reads it: names in camel case, instants and boxes as values, and `undefined`
 * in place of null.
 */
export function readApiAnswer<Answer extends object>(answer: Answer): ReadAnswer<Answer> {
  return readValue('', answer) as ReadAnswer<Answer>;
}

function readValue(name: string, value: unknown): unknown {
  if (value === null) return undefined;
  if (typeof value === 'string') return INSTANT_NAME.test(name) ? instantOf(value) : value;
  if (typeof value !== 'object') return value;
  if (name === 'bbox') return boxFromCorners(value as Parameters<typeof boxFromCorners>[0]);
  if (Array.isArray(value)) return value.map((item) => readValue('', item));
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [renamed(key), readValue(key, field)]));
}

function renamed(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
