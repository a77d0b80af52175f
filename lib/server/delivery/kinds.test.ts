import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import {
  configSchemaOf,
  DESTINATION_KIND_NAMES,
  DESTINATION_KINDS,
  destinationConfigSchema,
  destinationKind,
  type KindField,
  kindRow,
} from '#lib/api/outputs/destination-kinds.ts';
import { noticeOf, SENT_AT } from '#lib/outputs/notice.fixture.ts';
import { noticeText } from '#lib/outputs/notice.ts';
import { openGuard } from './guard.ts';
import { openSender, type Senders } from './kinds.ts';
import { depsOf } from './senders/sender-deps.fixture.ts';

test('adds a kind by one row and its sender', async () => {
  const pager = destinationKind({
    schema: z.strictObject({ kind: z.literal('pager'), number: z.string().check(z.minLength(3)) }),
    text: 'Pager',
    takesNotices: true,
    secret: undefined,
    fields: [{ name: 'number', label: 'Number', input: 'text' }],
    empty: { kind: 'pager', number: '' },
    whereText: ({ number }) => `pager ${number}`,
    secretPlace: ({ number }) => ({ text: number, host: number, port: '', isEncrypted: false, proof: '' }),
  });
  const kinds = { ...DESTINATION_KINDS, pager };
  type Config = z.infer<typeof pager.schema>;
  const pages: string[] = [];
  const senders: Senders<Config> = {
    pager: ({ config }) => ({
      send: async (notice) => void pages.push(`${config.number}: ${noticeText(notice, SENT_AT).title}`),
      close: async () => undefined,
    }),
  };

  const config = configSchemaOf(kinds).parse({ kind: 'pager', number: '911' });
  expect(kindRow(config, kinds).whereText(config)).toBe('pager 911');
  expect(configSchemaOf(kinds).safeParse({ kind: 'pager', number: '9' }).success).toBe(false);
  expect(destinationConfigSchema.safeParse(config).success).toBe(false);
  const guard = openGuard([]);
  const sender = openSender({ id: 'id', config: config as Config, secrets: [] }, depsOf(guard), senders);
  await sender?.send(noticeOf(), new AbortController().signal);
  expect(pages).toEqual(['911: Drone 00001 in Runway 14/32']);
  await guard.close();
});

test.each(DESTINATION_KIND_NAMES)('a form of kind %s takes the numbers that its schema takes', (kind) => {
  const { schema, fields } = DESTINATION_KINDS[kind];
  const shape: Readonly<Record<string, z.ZodMiniType>> = schema.shape;
  const takes = (field: KindField, of: Readonly<Record<string, z.ZodMiniType>>): void => {
    const its = of[field.name] as z.ZodMiniType;
    if (field.input === 'number')
      for (const [value, isTaken] of [
        [field.min, true],
        [field.max, true],
        [field.min - 1, false],
        [field.max + 1, false],
      ] as const)
        expect(its.safeParse(value).success, `${field.name} ${value}`).toBe(isTaken);
    if (field.input !== 'group') return;
    expect(its.safeParse(field.starts).success).toBe(true);
    expect(its.safeParse(null).success).toBe(true);
    expect(new Set(field.fields.map(({ name }) => name))).toEqual(new Set(Object.keys(field.starts)));
    for (const inner of field.fields)
      if (inner.input === 'number')
        for (const value of [inner.min - 1, inner.max + 1])
          expect(its.safeParse({ ...field.starts, [inner.name]: value }).success, `${inner.name} ${value}`).toBe(false);
  };
  for (const field of fields) takes(field, shape);
});

test.each(DESTINATION_KIND_NAMES)(
  'a form of kind %s has each field of its schema once, and starts with all of them',
  (kind) => {
    const { schema, fields, empty } = DESTINATION_KINDS[kind];
    const inForm = ['kind', ...fields.map(({ name }) => name)];
    expect(new Set(inForm)).toEqual(new Set(Object.keys(schema.shape)));
    expect(new Set(inForm).size).toBe(inForm.length);
    expect(new Set(Object.keys(empty))).toEqual(new Set(inForm));
  },
);
