import { byName, LABEL_NAMES } from '#lib/model/record-fields.ts';
import { type QuantisedRecords, textOrder } from '../quantised-records.ts';

/** The distinct texts of a set of records; see QuantisedRecords for their order. */
export type Dictionaries = Pick<QuantisedRecords, 'prefixes' | 'wholeFrom' | 'labels'>;

export interface Texts {
  readonly prefixes: readonly string[];
  readonly wholes: readonly string[];
  readonly labels: readonly string[];
}

function textsOf({ prefixes, wholeFrom, labels }: Dictionaries): Texts {
  return {
    prefixes: prefixes.slice(0, wholeFrom),
    wholes: prefixes.slice(wholeFrom),
    labels: labels.slice(1) as string[],
  };
}

/** The texts of `after` that are not in `before`. */
export function addedTexts(before: Dictionaries, after: Dictionaries): Texts {
  const [old, all] = [textsOf(before), textsOf(after)];
  const without = (texts: readonly string[], known: readonly string[]) => {
    const set = new Set(known);
    return texts.filter((text) => !set.has(text));
  };
  return {
    prefixes: without(all.prefixes, old.prefixes),
    wholes: without(all.wholes, old.wholes),
    labels: without(all.labels, old.labels),
  };
}

export function withAddedTexts(before: Dictionaries, added: Texts): Dictionaries {
  const old = textsOf(before);
  const union = (a: readonly string[], b: readonly string[]) => Array.from(new Set([...a, ...b])).sort(textOrder);
  const prefixes = union(old.prefixes, added.prefixes);
  return {
    prefixes: [...prefixes, ...union(old.wholes, added.wholes)],
    wholeFrom: prefixes.length,
    labels: [undefined, ...union(old.labels, added.labels)],
  };
}

/** The same records, indexed into dictionaries that contain all of their texts. */
export function restated(records: QuantisedRecords, dictionaries: Dictionaries): QuantisedRecords {
  const { prefixes, wholeFrom, labels } = dictionaries;
  // The dictionaries are supersets, so equal sizes mean equal contents.
  const isSame = prefixes.length === records.prefixes.length && labels.length === records.labels.length;
  if (isSame && wholeFrom === records.wholeFrom) return records;
  const prefixAt = new Map(prefixes.slice(0, wholeFrom).map((text, index) => [text, index]));
  const wholeAt = new Map(prefixes.slice(wholeFrom).map((text, index) => [text, wholeFrom + index]));
  const labelAt = new Map(labels.map((text, index) => [text, index]));
  const textAt = records.prefixes.map((text, index) => (index < records.wholeFrom ? prefixAt : wholeAt).get(text));
  return {
    ...records,
    ...dictionaries,
    prefix: records.prefix.map((index) => textAt[index] as number),
    labelIndexes: relabelled(records, (index) => labelAt.get(records.labels[index]) as number),
  };
}

/** The same records without unused texts. */
export function withoutUnused(records: QuantisedRecords): QuantisedRecords {
  const prefixes = inUse(records.prefixes.length, [records.prefix]);
  const labels = inUse(records.labels.length, [Uint32Array.of(0), ...Object.values(records.labelIndexes)]);
  if (prefixes.count === records.prefixes.length && labels.count === records.labels.length) return records;
  return {
    ...records,
    prefixes: records.prefixes.filter((_, index) => prefixes.isUsed(index)),
    wholeFrom: records.prefixes.filter((_, index) => index < records.wholeFrom && prefixes.isUsed(index)).length,
    prefix: records.prefix.map(prefixes.newIndex),
    labels: records.labels.filter((_, index) => labels.isUsed(index)),
    labelIndexes: relabelled(records, labels.newIndex),
  };
}

function relabelled(
  { labelIndexes }: QuantisedRecords,
  newIndex: (index: number) => number,
): QuantisedRecords['labelIndexes'] {
  return byName(LABEL_NAMES, (name) => labelIndexes[name].map(newIndex));
}

function inUse(length: number, columns: readonly Uint32Array[]) {
  const used = new Uint8Array(length);
  for (const column of columns) for (const index of column) used[index] = 1;
  const newIndexes = new Uint32Array(length);
  let count = 0;
  for (let index = 0; index < length; index++) {
    newIndexes[index] = count;
    count += used[index] as number;
  }
  return {
    count,
    isUsed: (index: number) => used[index] === 1,
    newIndex: (index: number) => newIndexes[index] as number,
  };
}
