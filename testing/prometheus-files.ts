import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..');

const boardSchema = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
});
const alertsSchema = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
});

export interface Query {
  readonly where: string;
  readonly query: string;
}

export function queriesOf(): readonly Query[] {
  const board = boardSchema.parse(JSON.parse(readFileSync(join(ROOT, 'ops/grafana/lookout.json'), 'utf8')));
  const alerts = alertsSchema.parse(parse(readFileSync(join(ROOT, 'ops/prometheus/alerts.yml'), 'utf8')));
  return [
    ...board.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ where: title, query: expr }))),
    ...alerts.groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => ({ where: alert, query: expr }))),
  ];
}

/** With the labels that it matches. @throws Error if it is not PromQL */
export function samplesAsked(
  query: string,
): readonly { readonly metric: string; readonly labels: readonly string[] }[] {
  const asked: { metric: string; labels: string[] }[] = [];
  parser.parse(query).iterate({
    enter({ name, type, from, to }) {
      const text = query.slice(from, to);
      if (type.isError) throw new Error(`not PromQL at ${from}: ${query}`);
      if (name === 'VectorSelector') asked.push({ metric: '', labels: [] });
      const last = asked.at(-1);
      if (name === 'Identifier' && last?.metric === '') last.metric = text;
      if (name === 'LabelName' && last && isMatcher(query, to)) last.labels.push(text);
    },
  });
  return asked;
}

/** Other labels group. */
function isMatcher(query: string, at: number): boolean {
  return /^\s*(?:=|!=|=~|!~)/.test(query.slice(at));
}
