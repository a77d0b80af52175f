import { CONSTANT_WORK, WORK } from '#lib/server/work/work-table.ts';

const ROUTES_A_LINE = 8;

/** The queues of what signed-in people start, and why other requests need none. */
export function workTable(): string {
  const rows = Object.values<(typeof WORK)[keyof typeof WORK]>(WORK).map(
    ({ name, limit, running, waiting, inAll, routes, ...rest }) => {
      const all = [...routes, ...('ownTurns' in rest ? rest.ownTurns : [])].map((route) => `\`${route}\``).join(', ');
      return `| ${name} | ${limit} | ${running}; ${waiting} | ${Number.isFinite(inAll) ? inAll : 'no limit'} | ${all} |`;
    },
  );
  const constant = Object.entries(CONSTANT_WORK).flatMap(([why, routes]) =>
    Array.from({ length: Math.ceil(routes.length / ROUTES_A_LINE) }, (_, line) => {
      const its = routes.slice(line * ROUTES_A_LINE, (line + 1) * ROUTES_A_LINE);
      return `| ${why} | ${its.map((route) => `\`${route}\``).join(', ')} |`;
    }),
  );
  return [
    '| work | one request | of an operator: run; wait | of all: run | requests |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    '| no queue, since | requests |',
    '|---|---|',
    ...constant,
  ].join('\n');
}
