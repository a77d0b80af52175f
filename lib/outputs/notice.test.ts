import { expect, test } from 'vitest';
import { alarmOf } from '#lib/client/alarms/alarm.fixture.ts';
import { ALARM_NOTICE } from '#lib/zones/alarm-words.ts';
import { noticeOf, PERMITTED, PERMITTED_LINES, recordOf, SENT_AT } from './notice.fixture.ts';
import { noticeText } from './notice.ts';

const titleOf = (...notice: Parameters<typeof noticeOf>) => noticeText(noticeOf(...notice), SENT_AT).title;
const linesOf = (...notice: Parameters<typeof noticeOf>) => noticeText(noticeOf(...notice), SENT_AT).body.split('\n');
const ended = { state: 'ended', ended_at: '2026-11-27T12:02:00Z' } as const;

test('carries zone, rule, kind, height with its field, age and link, in the destination’s time zone', () => {
  expect(titleOf({}, { kind: 'first_received_inside' })).toBe('Drone 00001 in Runway 14/32');
  expect(linesOf({}, { kind: 'first_received_inside' })).toEqual([
    'Drone appeared inside · 63 m above ground · 2.4 km SE of 14/32 (135° true)',
    'Zone: Runway 14/32, revision 1',
    'Rule: Entered',
    'Height above ground (estimated): 62.5 m',
    'Speed: 12 m/s',
    'Position: 47.40000, 8.50000, observed 2026-11-27 13:00:00 Europe/Zurich (12:00:00Z), 3 min before this was sent',
    'Opened 2026-11-27 13:00:00 Europe/Zurich (12:00:00Z), 3 min before this was sent',
    'State: Open',
    'Replay: https://lookout.example/replay?at=1',
    ALARM_NOTICE,
  ]);
});

test('names both heights, each with its field, and converts units', () => {
  const evidence = [recordOf({ height_agl_m: 30.48, altitude_m: 304.8 })];
  expect(linesOf({ units: 'aviation' }, { evidence }).slice(3, 5)).toEqual([
    'Height above ground (estimated): 100 ft',
    'Altitude, datum not stated: 1000 ft',
  ]);
  expect(linesOf({}, { evidence: [recordOf()] })).toContain('Height: not reported');
  expect(linesOf({}, { evidence: [] })).toContain('Position and height: not stated');
});

test('dates UTC where the destination has another day', () => {
  const opened_at = '2026-11-27T22:30:00Z';
  expect(linesOf({ timeZone: 'Asia/Tokyo' }, { opened_at }).join()).toContain(
    'Opened 2026-11-28 07:30:00 Asia/Tokyo (2026-11-27 22:30:00Z)',
  );
  expect(linesOf({ timeZone: 'UTC' }, { opened_at }).join()).toContain('Opened 2026-11-27 22:30:00Z,');
});

test.each([
  ['left', 'Ended, left the zone'],
  ['lost', 'Ended, no longer received'],
  ['reference_gone', 'Ended, the reference is gone; it may have been renumbered'],
  ['hours_over', 'Ended, the hours of the zone are over'],
  ['rule_changed', 'Ended, the rule was changed or removed'],
  ['zone_removed', 'Ended, the zone was removed'],
] as const)('says why an alarm ended: %s', (reason, text) => {
  expect(titleOf({ type: 'ended' }, { ...ended, ended: reason })).toBe(`${text}: Drone 00001, Runway 14/32`);
  expect(linesOf({ type: 'ended' }, { ...ended, ended: reason })).toContainEqual(
    expect.stringMatching(/^State: Ended 2026-11-27 13:02:00 Europe\/Zurich \(12:02:00Z\): /),
  );
});

test('states what is now, if the alarm has changed since', () => {
  expect(titleOf({ type: 'ended' })).toBe('Ended, and open again since: Drone 00001, Runway 14/32');
  expect(linesOf({ type: 'opened' }, { ...ended, ended: 'lost' }).join()).toContain(': no longer received');
  const unknown = { state: 'unknown', unknown_since: '2026-11-27T12:01:00Z' } as const;
  expect(titleOf({ type: 'unknown' }, unknown)).toBe('Lost, not watched: Drone 00001, Runway 14/32');
  expect(titleOf({ type: 'unknown' })).toBe('Was lost for a while: Drone 00001, Runway 14/32');
});

test('tags what is not real first', () => {
  const unreal = { simulated: true, test: true, found_later: 420, height_unknown: true, count: 2 };
  expect(titleOf({}, unreal)).toBe('SIM · TEST · Drone 00001 in Runway 14/32');
  expect(linesOf({}, unreal)[0]).toBe('SIM · TEST · Height unknown · Found 7 min later · 2 times');
});

test('names the permit that covers an alarm, who made it and until when', () => {
  const note = { kind: 'permitted', by: 'Anna', at: '2026-11-27T12:01:00Z', as: null } as const;
  const notes = [{ ...note, until: '2026-11-27T15:00:00Z', comment: 'Survey flight, police' }];
  const lines = linesOf({ type: 'ended' }, { ...ended, ...PERMITTED, ended: 'left', notes });
  expect(lines.slice(0, 2).join('\n')).toBe(PERMITTED_LINES);
  expect(lines).toContain(
    'Permitted by Anna at 2026-11-27 13:01:00 Europe/Zurich (12:01:00Z), until 2026-11-27 16:00:00 Europe/Zurich (15:00:00Z): “Survey flight, police”',
  );
  const group = linesOf({ alarms: [alarmOf(2), alarmOf(1, PERMITTED)] });
  expect(group).toContainEqual(expect.stringMatching(/^- Permitted: Survey flight, police, until 2026-11-27 16:00/));
});

test('does not let a real alarm hide behind a simulated one', () => {
  const alarms = [alarmOf(1, { simulated: true }), alarmOf(2)];
  expect(titleOf({ alarms })).toBe('SIM IN PART · Drone 00001 in Runway 14/32, and 1 more in Runway 14/32');
  expect(titleOf({ alarms: alarms.slice(0, 1), more: 4 })).toMatch(/^SIM IN PART · .+, and 4 more in Runway/);
  expect(linesOf({ alarms })).toContainEqual(expect.stringMatching(/^- Drone 00002 in Runway 14\/32, 2026/));
});

test('a flood is one line', () => {
  const alarms = [alarmOf(1), alarmOf(2)];
  expect(linesOf({ alarms, more: 40 })).toContain('And 40 more in Runway 14/32, not listed here.');
  const summary = noticeOf({ type: 'summary', alarms, more: 39 });
  expect(noticeText(summary, SENT_AT).title).toBe('41 more alarms in Runway 14/32');
  const gate = alarmOf(2, { zone: { id: '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7a99', name: 'Gate', revision: 1 } });
  expect(titleOf({ type: 'summary', alarms: [alarmOf(1), gate], more: 1, zones: 2 })).toBe('3 more alarms in 2 zones');
});

test('calls an earlier alarm perhaps the same, never the same', () => {
  const earlier = alarmOf(7);
  const alarms = [alarmOf(8, { perhaps_same_as: earlier.id }), earlier];
  expect(linesOf({ alarms })).toContain('Perhaps the same as Drone 00007');
  expect(linesOf({ alarms: alarms.slice(0, 1) })).toContain(`Perhaps the same as in an earlier alarm (${earlier.id})`);
});

test('says that an escalated alarm was not acknowledged, and that a trial is none', () => {
  expect(titleOf({ type: 'escalated' })).toBe('Not acknowledged: Drone 00001 in Runway 14/32');
  expect(titleOf({ type: 'trial', alarms: [], link: null })).toMatch(/^TRIAL/);
  expect(linesOf({ type: 'trial', alarms: [], link: null })[0]).toContain('there is no alarm');
});
