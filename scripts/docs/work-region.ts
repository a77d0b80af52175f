import { CONSTANT_WORK, WORK } from '#lib/server/work/work-table.ts';

/** The queues of what signed-in people start, and why other requests need none. */
export function workTable(): string {
  const rows = Object.values<(typeof WORK)[keyof typeof WORK]>(WORK).map(
    ({ name, limit, running, waiting, inAll, routes, ...rest }) => {
      const all = [...routes, ...('ownTurns' in rest ? rest.ownTurns : [])].map((route) => `\`${route}\``).join(', ');
      return `| ${name} | ${limit} | ${running}; ${waiting} | ${Number.isFinite(inAll) ? inAll : 'no limit'} | ${all} |`;
    },
  );
  const constant = Object.entries(CONSTANT_WORK).map(
    ([why, routes]) => `- ${why}: ${routes.map((route) => `\`${route}\``).join(', ')}.`,
  );
  return [
    '| work | one request | of an operator: run; wait | of all: run | requests |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    'Other requests need no queue:',
    '',
    ...constant,
  ].join('\n');
}
