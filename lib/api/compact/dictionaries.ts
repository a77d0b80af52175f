import type { QuantisedRecords } from './quantised-records.ts';
import { textOrder } from './text-order.ts';

/** The texts of records, each once; see QuantisedRecords for their order. */
export type Dictionaries = Pick<QuantisedRecords, 'stems' | 'prefixCount' | 'labels'>;

export interface Texts {
  readonly prefixes: readonly string[];
  readonly wholes: readonly string[];
  readonly labels: readonly string[];
}

function textsOf({ stems, prefixCount, labels }: Dictionaries): Texts {
  return {
    prefixes: stems.slice(0, prefixCount),
    wholes: stems.slice(prefixCount),
    labels: labels.slice(1) as string[],
  };
}

/** What of `after` does not stand in `before`. */
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

export function withAdded(before: Dictionaries, added: Texts): Dictionaries {
  const old = textsOf(before);
  const union = (a: readonly string[], b: readonly string[]) => Array.from(new Set([...a, ...b])).sort(textOrder);
  const prefixes = union(old.prefixes, added.prefixes);
  return {
    stems: [...prefixes, ...union(old.wholes, added.wholes)],
    prefixCount: prefixes.length,
    labels: [undefined, ...union(old.labels, added.labels)],
  };
}

/** The same records with their texts found in dictionaries that hold all of theirs. */
export function restated(records: QuantisedRecords, dictionaries: Dictionaries): QuantisedRecords {
  const { stems, prefixCount, labels } = dictionaries;
  // They hold all of its texts: as many are the same ones.
  const isSame = stems.length === records.stems.length && labels.length === records.labels.length;
  if (isSame && prefixCount === records.prefixCount) return records;
  const prefixAt = new Map(stems.slice(0, prefixCount).map((text, index) => [text, index]));
  const wholeAt = new Map(stems.slice(prefixCount).map((text, index) => [text, prefixCount + index]));
  const labelAt = new Map(labels.map((text, index) => [text, index]));
  const stemAt = records.stems.map((text, index) => (index < records.prefixCount ? prefixAt : wholeAt).get(text));
  return {
    ...records,
    ...dictionaries,
    stem: records.stem.map((index) => stemAt[index] as number),
    ...relabelled(records, (index) => labelAt.get(records.labels[index]) as number),
  };
}

/** The same records, with only the texts that are in use. */
export function withoutUnused(records: QuantisedRecords): QuantisedRecords {
  const stems = inUse(records.stems.length, [records.stem]);
  const labels = inUse(records.labels.length, [Uint32Array.of(0), records.confidence, records.emergency]);
  if (stems.kept === records.stems.length && labels.kept === records.labels.length) return records;
  return {
    ...records,
    stems: records.stems.filter((_, index) => stems.isUsed(index)),
    prefixCount: records.stems.filter((_, index) => index < records.prefixCount && stems.isUsed(index)).length,
    stem: records.stem.map(stems.newIndex),
    labels: records.labels.filter((_, index) => labels.isUsed(index)),
    ...relabelled(records, labels.newIndex),
  };
}

function relabelled({ confidence, emergency }: QuantisedRecords, newIndex: (index: number) => number) {
  return { confidence: confidence.map(newIndex), emergency: emergency.map(newIndex) };
}

function inUse(length: number, columns: readonly Uint32Array[]) {
  const used = new Uint8Array(length);
  for (const column of columns) for (const index of column) used[index] = 1;
  const newIndexes = new Uint32Array(length);
  let kept = 0;
  for (let index = 0; index < length; index++) {
    newIndexes[index] = kept;
    kept += used[index] as number;
  }
  return {
    kept,
    isUsed: (index: number) => used[index] === 1,
    newIndex: (index: number) => newIndexes[index] as number,
  };
}
