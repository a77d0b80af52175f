import type { CompatData, CompatStatement, Identifier, SimpleSupportStatement } from '@mdn/browser-compat-data';

/** By the names of browserslist: those of the compatibility data. */
const BROWSERS = {
  chrome: 'chrome',
  edge: 'edge',
  firefox: 'firefox',
  safari: 'safari',
  ios_saf: 'safari_ios',
} as const;

type Browser = (typeof BROWSERS)[keyof typeof BROWSERS];

/** The oldest version of each browser. */
export type OldestBrowsers = ReadonlyMap<Browser, string>;

/** @param list such as `chrome >= 111`. @throws Error if it says something else */
export function oldestBrowsers(list: readonly string[]): OldestBrowsers {
  return new Map(
    list.map((entry) => {
      const [, name = '', version = ''] = /^(\w+) >= ([\d.]+)$/.exec(entry) ?? [];
      if (!(name in BROWSERS)) throw new Error(`not “browser >= version”: ${entry}`);
      return [BROWSERS[name as keyof typeof BROWSERS], version];
    }),
  );
}

const INTERFACE = /^interface (\w+)(?:<.*?>)?(?: extends (.*?))? \{/;
const STATICS = /^declare var (\w+): \{/;
const MEMBER = /^( {4}(?:readonly )?)([a-zA-Z]\w*|\[Symbol\.(\w+)\])(?=[(:<])/;
const FUNCTION = /^declare function (\w+)((?:<.*?>)?\(.*\)): (.*);$/;
const VARIABLE = /^declare var (\w+): ([^{].*);$/;

/**
 * The types of the DOM, in which everything that a supported browser lacks is optional: code has to ask for it first.
 * @param libDom TypeScript's lib.dom.d.ts
 */
export function supportedDom(libDom: string, { api }: CompatData, oldest: OldestBrowsers): string {
  const lines = libDom.split('\n');
  const users = mixinUsers(lines);
  const lacks = (group: string, member: string, suffix = ''): boolean => {
    const groups = api[group] ? [group] : (users.get(group) ?? []);
    const features = groups.flatMap((name) => api[name]?.[`${member}${suffix}`]?.__compat ?? []);
    return features.length > 0 && features.every((feature) => isLackedBy(feature, oldest));
  };
  const isLacked = (name: string) => {
    const feature = api[name]?.__compat ?? api.Window?.[name]?.__compat ?? (api as Identifier)[name]?.__compat;
    return feature !== undefined && isLackedBy(feature, oldest);
  };
  let group: { readonly name: string; readonly isStatic: boolean } | undefined;
  return lines
    .map((line) => {
      const [, type] = INTERFACE.exec(line) ?? [];
      const [, holder] = STATICS.exec(line) ?? [];
      if (type !== undefined) group = { name: type, isStatic: false };
      else if (holder !== undefined) group = { name: holder, isStatic: true };
      else if (/^\}/.test(line)) {
        const isOptional = group?.isStatic === true && isLacked(group.name);
        group = undefined;
        if (isOptional) return line.replace(/^\}/, '} | undefined');
      } else if (group !== undefined) {
        const { name, isStatic } = group;
        return line.replace(MEMBER, (found, _, member: string, symbol: string | undefined) =>
          member !== 'new' && lacks(name, symbol ? `@@${symbol}` : member, isStatic ? '_static' : '')
            ? `${found}?`
            : found,
        );
      }
      return line
        .replace(VARIABLE, (found, name: string, value: string) =>
          isLacked(name) ? `declare var ${name}: (${value}) | undefined;` : found,
        )
        .replace(FUNCTION, (found, name: string, terms: string, result: string) =>
          isLacked(name) ? `declare var ${name}: (${terms} => ${result}) | undefined;` : found,
        );
    })
    .join('\n');
}

/** lib.dom.d.ts has mixins as interfaces; the compatibility data has their members in the interfaces that include them. */
function mixinUsers(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const line of lines) {
    const [, name = '', parents = ''] = INTERFACE.exec(line) ?? [];
    for (const parent of parents.split(/,\s*/)) users.set(parent, [...(users.get(parent) ?? []), name]);
  }
  return users;
}

function isLackedBy({ support }: CompatStatement, oldest: OldestBrowsers): boolean {
  return [...oldest].some(([browser, version]) => {
    const stated = support[browser];
    if (stated === undefined) return false;
    const statements = [stated]
      .flat()
      .filter(({ flags, prefix, alternative_name }) => !flags && !prefix && !alternative_name);
    const isThere = statements.some((statement) => isIn(version, statement));
    return !isThere || statements.every(({ version_removed }) => version_removed !== undefined);
  });
}

function isIn(version: string, { version_added: added, version_removed: removed }: SimpleSupportStatement): boolean {
  return (
    typeof added === 'string' &&
    isAtMost(added, version) &&
    !(typeof removed === 'string' && isAtMost(removed, version))
  );
}

/** @param version such as `16.4`, `≤18` or `preview` */
function isAtMost(version: string, most: string): boolean {
  const [[major = 0, minor = 0], [mostMajor = 0, mostMinor = 0]] = [version.replace('≤', ''), most].map((text) =>
    text.split('.').map(Number),
  ) as [number[], number[]];
  return major < mostMajor || (major === mostMajor && minor <= mostMinor);
}
