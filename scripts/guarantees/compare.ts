import type { Title, Titles } from './titles.ts';

const FATES = ['kept', 'moved', 'merged', 'went'] as const;
type Fate = (typeof FATES)[number];

/** Where the guarantee of an old title is now. */
export interface Mapped {
  readonly old: Title;
  readonly fate: Fate;
  /** `undefined` where the title has gone. */
  readonly now: Title | undefined;
  readonly note: string;
  /** The place of the row, such as `units.tsv:12`. */
  readonly from: string;
}

export interface Comparison {
  readonly rows: readonly Mapped[];
  readonly counts: Readonly<Record<Fate, number>>;
  readonly before: number;
  readonly after: number;
  /** Each problem fails the check. */
  readonly problems: readonly string[];
  /** Lines about titles that were not there before: of tests that came and went meanwhile. */
  readonly unused: readonly string[];
}

/**
 * Lines of: old file, old title, kept | moved | merged | went, new file, new title, note; separated by tabs. A `*` in a title stands
 * for anything.
 * @throws Error for a line that is no such line
 */
export function readMapping(name: string, text: string): readonly Mapped[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '' || line.startsWith('#')) return [];
    const from = `${name}:${index + 1}`;
    const [oldFile = '', oldTitle = '', fate = '', file = '', title = '', note = ''] = line
      .split('\t')
      .map((cell) => cell.replaceAll(/\s+/g, ' ').trim());
    const known = FATES.find((each) => each === fate);
    if (known === undefined || oldFile === '' || oldTitle === '')
      throw new Error(`${from} is no line of a mapping: ${line}`);
    const now = file === '' || known === 'went' ? undefined : { file, title: title === '' ? oldTitle : title };
    return [{ old: { file: oldFile, title: oldTitle }, fate: known, now, note, from }];
  });
}

export function compareTitles(before: Titles, after: Titles, mapping: readonly Mapped[]): Comparison {
  const present = [...after.tests, ...after.steps];
  const isPresent = finder(present);
  const used = new Set<Mapped>();
  const problems: string[] = [];
  const rows: Mapped[] = [];
  const counts = { kept: 0, moved: 0, merged: 0, went: 0 };
  const mapped = finderOf(mapping);

  for (const old of unique(before.tests)) {
    const row = settle(old);
    if (row === undefined) continue;
    rows.push(row);
    counts[row.fate] += 1;
  }
  const unused = mapping.filter((line) => !used.has(line)).map(({ from, old }) => `${from}: ${text(old)}`);
  return { rows, counts, before: unique(before.tests).length, after: unique(after.tests).length, problems, unused };

  function settle(old: Title): Mapped | undefined {
    const line = mapped(old);
    if (line === undefined) {
      if (isPresent(old)) return { old, fate: 'kept', now: old, note: '', from: '' };
      problems.push(`in no mapping, and not there now: ${text(old)}`);
      return undefined;
    }
    let last = line;
    const seen = new Set([last]);
    used.add(last);
    // A test that was moved may have been moved again.
    while (last.now !== undefined && !isPresent(last.now)) {
      const next = mapped(last.now);
      if (next === undefined || seen.has(next)) break;
      last = next;
      seen.add(last);
      used.add(last);
    }
    const isGone = last.fate === 'went';
    const found = { ...line, old, fate: isGone ? last.fate : line.fate, now: last.now, note: notes([...seen]) };
    if (isGone && last.note === '') problems.push(`${last.from}: went without a reason: ${text(old)}`);
    if (!isGone && last.now === undefined) problems.push(`${last.from}: ${last.fate}, but not where to: ${text(old)}`);
    if (last.now !== undefined && !isPresent(last.now))
      problems.push(`${last.from}: its new title is not there: ${text(last.now)}`);
    return found;
  }
}

function notes(lines: readonly Mapped[]): string {
  return [...new Set(lines.map(({ note }) => note).filter((note) => note !== ''))].join('; ');
}

function finder(titles: readonly Title[]): (wanted: Title) => boolean {
  const exact = new Set(titles.map(text));
  return (wanted) => {
    if (exact.has(text(wanted))) return true;
    if (!wanted.title.includes('*')) return false;
    const pattern = patternOf(wanted.title);
    return titles.some(({ file, title }) => file === wanted.file && pattern.test(title));
  };
}

function finderOf(mapping: readonly Mapped[]): (title: Title) => Mapped | undefined {
  const exact = new Map(mapping.map((line) => [text(line.old), line]));
  const patterns = mapping
    .filter(({ old }) => old.title.includes('*'))
    .map((line) => ({ line, pattern: patternOf(line.old.title) }));
  return (wanted) =>
    exact.get(text(wanted)) ??
    patterns.find(({ line, pattern }) => line.old.file === wanted.file && pattern.test(wanted.title))?.line;
}

function patternOf(title: string): RegExp {
  return new RegExp(`^${title.split('*').map(RegExp.escape).join('.*')}$`);
}

function unique(titles: readonly Title[]): readonly Title[] {
  return [...new Map(titles.map((title) => [text(title), title])).values()];
}

export function text({ file, title }: Title): string {
  return `${file} › ${title}`;
}
