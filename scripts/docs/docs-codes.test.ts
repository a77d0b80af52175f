import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { COMPACT_LIVE_TYPE } from '#lib/api/compact-answer.ts';
import { API_ERRORS, errorAnswerSchema } from '#lib/api/error-code.ts';
import { historyCostSchema } from '#lib/api/history-cost.ts';
import { HISTORY_LINES_TYPE, historyLineSchema, MINUTE_LETTERS } from '#lib/api/history-line.ts';
import { LIVE_REASONS, PAST_REASONS } from '#lib/api/layer-reason.ts';
import { layerSchema } from '#lib/api/layer-schema.ts';
import { layerStateSchema } from '#lib/api/layer-state.ts';
import { layerAnswerSchema, viewAnswerSchema } from '#lib/api/live-answer.ts';
import { accountAnswerSchema, endedSchema, initialPasswordSchema, peopleSchema } from '#lib/api/people/account.ts';
import { PERMISSIONS, ROLES } from '#lib/api/people/permission.ts';
import { sessionAnswerSchema } from '#lib/api/people/session-messages.ts';
import { placesAnswerSchema } from '#lib/api/places-answer.ts';
import { readyAnswerSchema } from '#lib/api/ready-answer.ts';
import { receiversAnswerSchema } from '#lib/api/receivers-answer.ts';
import { WAITS } from '#lib/api/refresh-reason.ts';
import { savedViewsSchema } from '#lib/api/saved-view.ts';
import { statusAnswerSchema } from '#lib/api/status-answer.ts';
import { COMPACT_TRAILS_TYPE, trailsAnswerSchema } from '#lib/api/trails-answer.ts';
import { benchmarkNames, documentText, sentencesOf, tableRows } from './document.ts';

/** Names of all properties in a JSON schema, at any depth. */
function fieldsOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema ? Object.keys(schema.properties as object) : [];
  return [...own, ...Object.values(schema).flatMap(fieldsOf)];
}

const sorted = (names: Iterable<string>) => [...names].sort();

describe('docs/api.md', () => {
  test('lists every error code with its status, and no other', () => {
    const listed = tableRows('docs/api.md', 'code').map(([code, status]) => [code, Number(status)]);
    expect(Object.fromEntries(listed)).toEqual(API_ERRORS);
  });

  test('lists every reason with its text, where it occurs and how it ends', () => {
    const ends = {
      'at-until': 'at until',
      'retried-at-until': 'tried again at until',
      'by-change': 'when something is changed',
      'next-refresh': 'with the next refresh',
      never: 'never',
    } as const;
    const live: Readonly<Record<string, { live: string; ends: keyof typeof ends }>> = LIVE_REASONS;
    const past: Readonly<Record<string, { past: string; ends: keyof typeof ends }>> = PAST_REASONS;
    const rows = [...new Set([...Object.keys(past), ...Object.keys(live)])].map((code) => {
      const reason = live[code] ?? past[code];
      if (!reason) throw new Error(`${code} is in neither table`);
      // Failures that live requests never get: they lie in no lookback, and take of no share of the past.
      const isLive = code in live && !['outside_lookback', 'share_used_up'].includes(code);
      const where = [isLive && 'live', code in past && 'past'].filter(Boolean).join(', ');
      const texts = new Set([live[code]?.live, past[code]?.past].filter((text) => text !== undefined));
      return [code, where, [...texts].join('; '), ends[reason.ends]];
    });
    expect(new Set(tableRows('docs/api.md', 'reason'))).toEqual(new Set(rows));
  });

  test('lists every reason why an area waits, with its text, and no other', () => {
    const listed = tableRows('docs/api.md', 'wait').map(([code, meaning]) => [code, meaning]);
    expect(Object.fromEntries(listed)).toEqual(WAITS);
  });

  test('lists every permission with the lowest role that has it, and no other', () => {
    const listed = tableRows('docs/api.md', 'permission').map(([permission, role]) => [permission, role]);
    expect(listed).toEqual(Object.entries(PERMISSIONS));
    const roles = ROLES.map((role) => `\`${role}\``);
    expect(documentText('docs/api.md')).toContain(`${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}`);
  });

  test('lists every state of a layer, in the example and in the table', () => {
    const states = Object.values(layerStateSchema.def.entries);
    expect(tableRows('docs/api.md', 'state').map(([state]) => state)).toEqual(states);
    expect(documentText('docs/api.md')).toContain(`"state": ${states.map((state) => JSON.stringify(state)).join('|')}`);
  });

  test('lists every state of a layer in the status', () => {
    const states = statusAnswerSchema.shape.layers.def.valueType.def.options.flatMap(({ shape }) =>
      Object.values(shape.state.def.entries),
    );
    const listed = states.map((state) => JSON.stringify(state)).join('|');
    expect(documentText('docs/api.md')).toContain(`{"rid": {"state": ${listed},`);
  });

  test('explains every letter of a minute, and no other', () => {
    const [, list = ''] = /minutes has a letter for each minute: (.*?)\./.exec(sentencesOf('docs/api.md')) ?? [];
    const letters = list.split(/, (?![^(]*\))/).map((item) => item.replace(/ \(.*/, ''));
    const meant = Object.entries(MINUTE_LETTERS).map(([letter, state]) => `${letter} ${state.replace('-', ' ')}`);
    expect(letters).toEqual(meant);
  });

  test('names every field of every answer', () => {
    const [part, progress, end] = historyLineSchema.def.options;
    const answers = [
      errorAnswerSchema,
      z.extend(viewAnswerSchema, { layers: z.partialRecord(layerSchema, layerAnswerSchema) }),
      statusAnswerSchema,
      z.omit(part, { records: true }),
      progress,
      end,
      historyCostSchema,
      placesAnswerSchema,
      savedViewsSchema,
      sessionAnswerSchema,
      accountAnswerSchema,
      endedSchema,
      peopleSchema,
      initialPasswordSchema,
      trailsAnswerSchema,
      readyAnswerSchema,
      receiversAnswerSchema,
    ];
    const named = new Set([...documentText('docs/api.md').matchAll(/"([a-z_]+)"/g)].map(([, name]) => name));
    const fields = answers.flatMap((schema) => fieldsOf(z.toJSONSchema(schema)));
    expect(fields.length).toBeGreaterThan(60);
    expect(fields.filter((field) => !named.has(field))).toEqual([]);
  });

  test('names the media types of both forms of an answer', () => {
    for (const type of [COMPACT_LIVE_TYPE, HISTORY_LINES_TYPE, COMPACT_TRAILS_TYPE]) {
      expect(documentText('docs/api.md')).toContain(`Accept: ${type}`);
    }
  });
});

test('docs/performance.md lists every benchmark, and no other', () => {
  const known = benchmarkNames();
  const headed = [...documentText('docs/performance.md').matchAll(/^## ([a-z0-9-]+(?:, [a-z0-9-]+)*):/gm)];
  const listed = new Set([
    ...tableRows('docs/performance.md', 'name').map(([name = '']) => name),
    ...headed.flatMap(([, names = '']) => names.split(', ')),
  ]);
  listed.delete('');
  expect(sorted(listed)).toEqual(sorted(known));
});
