import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ANNOUNCED } from '#lib/api/outputs/destinations.ts';
import { alarmSchema } from '#lib/api/watching/alarms.ts';
import { alarmOf } from '#lib/client/alarms/alarm.fixture.ts';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import { ALARM_ENDS, ALARM_KINDS, ALARM_STATES } from '#lib/zones/alarm.ts';
import { noticeOf, recordOf, SENT_AT } from './notice.fixture.ts';
import { noticeText } from './notice.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 80 });
const instantOrNull = fc.constantFrom(null, '2026-11-27T12:02:00Z');
const anyRecord = fc
  .record({
    altitude_m: fc.constantFrom(null, 12),
    height_agl_m: fc.constantFrom(null, 34),
    speed_mps: fc.constant(null),
  })
  .map(recordOf);
const anyAlarm = fc
  .record({
    zone: anyText.map((name) => ({ ...alarmOf(1).zone, name })),
    kind: fc.constantFrom(...ALARM_KINDS),
    layer: fc.constantFrom('rid' as const, 'adsb' as const),
    track: fc.constantFrom(null, alarmOf(1).track),
    state: fc.constantFrom(...ALARM_STATES),
    unknown_since: instantOrNull,
    ended_at: instantOrNull,
    ended: fc.constantFrom(null, ...ALARM_ENDS),
    count: fc.integer({ min: 1, max: 9 }),
    found_later: fc.constantFrom(null, 420),
    simulated: fc.boolean(),
    test: fc.boolean(),
    evidence: fc.array(anyRecord, { maxLength: 2 }),
  })
  .map((changed) => alarmOf(1, changed));
const anyNotice = fc
  .record({
    type: fc.constantFrom(...ANNOUNCED, 'escalated' as const, 'summary' as const, 'trial' as const),
    alarms: fc.array(anyAlarm, { maxLength: 4 }),
    more: fc.nat({ max: 50 }),
    link: fc.constantFrom(null, 'https://lookout.example/'),
    units: fc.constantFrom(...UNIT_SYSTEMS),
    timeZone: fc.constantFrom('UTC', 'Europe/Zurich', 'America/St_Johns', 'Asia/Kathmandu'),
  })
  .map(noticeOf);

test('has a title of one printable line and a body, whatever the names', () => {
  fc.assert(
    fc.property(anyNotice, (notice) => {
      const { title, body } = noticeText(notice, SENT_AT);
      expect(title).toMatch(/\S/);
      expect(title).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect(body.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect(body).toMatch(/\S/);
    }),
  );
});

test('never makes a number or an all-clear of what is unknown', () => {
  fc.assert(
    fc.property(anyNotice, (notice) => {
      const plain = { ...notice, alarms: notice.alarms.map((alarm) => ({ ...alarm, zone: alarmOf(1).zone })) };
      const { title, body } = noticeText(plain, SENT_AT);
      expect(`${title}\n${body}`).not.toMatch(/undefined|null|NaN|Invalid|1970|cleared|\b0 (m|ft|m\/s|kt|mph)\b/);
    }),
  );
});

test('tags each simulated or test alarm in title and body', () => {
  fc.assert(
    fc.property(anyNotice, (notice) => {
      if (notice.type === 'trial') return;
      const { title, body } = noticeText(notice, SENT_AT);
      for (const [tag, tagged] of [
        ['SIM', notice.alarms.filter(({ simulated }) => simulated)],
        ['TEST', notice.alarms.filter(({ test: isTest }) => isTest)],
      ] as const) {
        expect(title.split(' · ').some((part) => part.startsWith(tag))).toBe(tagged.length > 0);
        if (tagged.length > 0) expect(body).toContain(tag);
      }
    }),
  );
});

test('knows every kind, end and state of an alarm', () => {
  const { kind, state } = alarmSchema.shape;
  for (const each of kind.options) expect(noticeText(noticeOf({}, { kind: each }), SENT_AT).title).not.toBe('');
  for (const each of state.options) expect(noticeText(noticeOf({}, { state: each }), SENT_AT).body).toContain('State:');
});
