import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { birthTopics, zoneMessages, zoneTopics } from './mqtt-messages.ts';
import { zoneStateOf } from './zone-state.fixture.ts';

const TOPICS = { topic: 'site/lookout', discovery_topic: 'homeassistant' };
const DESTINATION = '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7d01';
const ID = zoneStateOf().id;

/**
 * After Home Assistant's documents of MQTT discovery, sensor and binary sensor. Its own schemas refuse unknown keys of
 * device and origin too.
 */
const topic = z.string().check(z.regex(/^[^+#\0]+$/));
const entity = {
  unique_id: z.string().check(z.minLength(1)),
  name: z.string(),
  state_topic: topic,
  value_template: z.string(),
  json_attributes_topic: topic,
  json_attributes_template: z.string(),
  availability: z.array(z.strictObject({ topic })).check(z.minLength(1)),
  availability_mode: z.optional(z.enum(['all', 'any', 'latest'])),
};
const sensor = { platform: z.literal('sensor'), ...entity };
const deviceSchema = z.strictObject({
  device: z.strictObject({
    identifiers: z.array(z.string()).check(z.minLength(1)),
    name: z.string(),
    manufacturer: z.string(),
    model: z.string(),
  }),
  origin: z.strictObject({ name: z.string() }),
  qos: z.int().check(z.gte(0), z.lte(2)),
  components: z.record(
    z.string().check(z.regex(/^[a-zA-Z0-9_-]+$/)),
    z.union([
      z.strictObject({ platform: z.literal('binary_sensor'), ...entity, device_class: z.literal('occupancy') }),
      z.strictObject({ ...sensor, state_class: z.literal('measurement') }),
      z.strictObject({ ...sensor, device_class: z.literal('timestamp') }),
      // `options` requires the class, and excludes state_class and a unit.
      z.strictObject({ ...sensor, device_class: z.literal('enum'), options: z.array(z.string()) }),
    ]),
  ),
});

const messages = (...changed: Parameters<typeof zoneStateOf>) => {
  const all = zoneMessages(TOPICS, DESTINATION, zoneStateOf(...changed));
  const json = (name: string) => JSON.parse([...all].find(([each]) => each.endsWith(name))?.[1] ?? '');
  return { all, config: deviceSchema.parse(json('/config')), state: json('/state') };
};

test('describes one device for a zone, as Home Assistant reads it', () => {
  const { all, config } = messages();
  const [configTopic] = [...all.keys()].filter((each) => each.startsWith('homeassistant/'));
  expect(configTopic).toMatch(/^homeassistant\/device\/[a-zA-Z0-9_-]+\/config$/);
  expect(Object.keys(config.components)).toEqual(['occupied', 'open_alarms', 'last_alarm', 'watched']);
  expect(new Set(Object.values(config.components).map(({ unique_id }) => unique_id)).size).toBe(4);
  expect(config.device.name).toBe('Runway 14/32');
});

test('an unread zone makes occupied and its count unavailable, and keeps the rest', () => {
  const { components } = messages().config;
  const status = { topic: 'site/lookout/status' };
  const own = { topic: `site/lookout/zone/${ID}/availability` };
  for (const key of ['occupied', 'open_alarms'])
    expect(components[key]).toMatchObject({ availability: [status, own], availability_mode: 'all' });
  for (const key of ['watched', 'last_alarm']) expect(components[key]?.availability).toEqual([status]);
  const availability = (watched: Parameters<typeof zoneStateOf>[0]) => messages(watched).all.get(own.topic);
  expect(availability({ watched: 'partly' })).toBe('online');
  expect(availability({ watched: 'not_watched' })).toBe('offline');
  expect(availability({ watched: null })).toBe('offline');
});

test('the state has a value for each template, and one of the options', () => {
  const { config, state } = messages();
  for (const { value_template } of Object.values(config.components)) {
    const [, field = ''] = /value_json\.(\w+)/.exec(value_template) ?? [];
    expect(state).toHaveProperty(field);
  }
  const { watched } = config.components;
  for (const each of ['watched', 'partly', 'not_watched', null] as const)
    expect(watched && 'options' in watched && watched.options).toContain(messages({ watched: each }).state.watched);
});

test('names every topic that a removed zone leaves', () => {
  expect(new Set(zoneTopics(TOPICS, ID))).toEqual(new Set(messages().all.keys()));
});

test('hears no birth of Home Assistant in its own status', () => {
  expect(birthTopics(TOPICS)).toEqual(['homeassistant/status']);
  expect(birthTopics({ topic: 'ha', discovery_topic: 'ha' })).toEqual(['homeassistant/status']);
  expect(birthTopics({ topic: 'homeassistant', discovery_topic: 'homeassistant' })).toEqual([]);
});
