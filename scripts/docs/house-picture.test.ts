import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documentText, root } from './document.ts';

/** Paths that stand for the parts of the picture in CONTRIBUTING.md: any file of the kind would do. */
const parts: Readonly<Record<string, readonly string[]>> = {
  app: ['app/api/x/route.ts', 'app/page.tsx', 'app/x.tsx'],
  components: ['components/map/x.tsx', 'components/shell/x.tsx', 'components/ui/x.tsx'],
  client: ['lib/client/live/x.ts'],
  server: ['lib/server/live/x.ts'],
  domain: ['lib/model/x.ts', 'lib/filter/x.ts', 'lib/picture/x.ts', 'lib/codec/x.ts', 'lib/api/x.ts'],
  contract: ['lib/contract/x.ts'],
  ground: ['lib/geo/x.ts', 'lib/time/x.ts', 'lib/random/x.ts'],
  service: ['service/server/x.ts'],
};

interface Side {
  readonly path?: string | readonly string[];
  readonly pathNot?: string | readonly string[];
}

interface Rule {
  readonly from: Side;
  readonly to: Side;
}

const { default: walls }: { default: { forbidden: readonly Rule[] } } = await import(
  join(root, '.dependency-cruiser.mjs')
);
/** Those between places; the others are about cycles and packages. */
const rules = walls.forbidden.filter(({ from }) => from.path !== undefined || from.pathNot !== undefined);

const matches = (patterns: string | readonly string[], path: string) =>
  [patterns].flat().some((pattern) => new RegExp(pattern).test(path));

function isForbidden(from: string, to: string): boolean {
  return rules.some((rule) => {
    const room = /^components\/([^/]+)\//.exec(from)?.[1];
    const side = (patterns: string | readonly string[]) =>
      [patterns].flat().map((each) => each.replace('$1', room ?? ''));
    if (rule.from.path !== undefined && !matches(rule.from.path, from)) return false;
    if (rule.from.pathNot !== undefined && matches(rule.from.pathNot, from)) return false;
    if (rule.to.path !== undefined && !matches(side(rule.to.path), to)) return false;
    return !(rule.to.pathNot !== undefined && matches(side(rule.to.pathNot), to));
  });
}

describe('the picture of the house in CONTRIBUTING.md', () => {
  const [, picture = ''] = /```mermaid\n(.*?)```/s.exec(documentText('CONTRIBUTING.md')) ?? [];
  const arrows = [...picture.matchAll(/^ {2}(\w+) --> (\w+)$/gm)].map(([, from, to]) => `${from} → ${to}`);
  const pairs = Object.keys(parts).flatMap((from) =>
    Object.keys(parts)
      .filter((to) => to !== from)
      .map((to) => [from, to] as const),
  );

  test('has every part, in order', () => {
    const drawn = [...picture.matchAll(/^ {2}(\w+)\[/gm)].map(([, name]) => name);
    expect(drawn).toEqual(Object.keys(parts));
  });

  test('has an arrow for what the walls allow, and for nothing else', () => {
    const allowed = pairs.filter(([from, to]) =>
      (parts[from] ?? []).some((a) => (parts[to] ?? []).some((b) => !isForbidden(a, b))),
    );
    expect(new Set(arrows)).toEqual(new Set(allowed.map(([from, to]) => `${from} → ${to}`)));
  });
});
