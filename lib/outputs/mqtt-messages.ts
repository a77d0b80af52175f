import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { WatchedNow } from '#lib/api/watching/zones.ts';
import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { type AlarmKind, isSuspension, RULE_ALARMS } from '#lib/zones/alarm.ts';
import { type Notice, noticeText, placedAlarms } from './notice.ts';

/** Alarms that are not ended and equal in these fields. */
export interface OpenAlarms {
  readonly kind: AlarmKind;
  readonly simulated: boolean;
  readonly test: boolean;
  /** Whether a permit covers them: then they are not announced. */
  readonly expected: boolean;
  readonly count: number;
}

/** The state of a zone whose rules name a destination. */
export interface AnnouncedZone {
  readonly id: string;
  readonly name: string;
  /** Only a rule for entries can show that the zone is empty. */
  readonly hasEntryRule: boolean;
  /** null: the zone is not watched yet, or outside its hours. */
  readonly watched: WatchedNow['state'] | null;
  /** Why the zone is not, or only partly, watched. */
  readonly reason: WatchedNow['reason'];
  readonly open: readonly OpenAlarms[];
  /** The alarm that opened last, among those that no permit covers. */
  readonly last: Pick<
    Alarm,
    'id' | 'kind' | 'layer' | 'track' | 'opened_at' | 'state' | 'ended' | 'simulated' | 'test'
  > | null;
}

export interface MqttTopics {
  /** Lookout's own topics begin with it. */
  readonly topic: string;
  /** Topics of Home Assistant's discovery begin with it. */
  readonly discovery_topic: string;
}

export const ONLINE = 'online';
export const OFFLINE = 'offline';

/** Whether Lookout is connected and knows what it publishes. */
export function statusTopic({ topic }: MqttTopics): string {
  return `${topic}/status`;
}

export function alarmsTopic({ topic }: MqttTopics): string {
  return `${topic}/alarms`;
}

export function stateTopic({ topic }: MqttTopics, zoneId: string): string {
  return `${topic}/zone/${zoneId}/state`;
}

/** Where Home Assistant publishes `online` when it starts: its default, also for another topic of discovery. */
export function birthTopics(topics: MqttTopics): readonly string[] {
  const births = new Set(['homeassistant/status', `${topics.discovery_topic}/status`]);
  births.delete(statusTopic(topics));
  return [...births];
}

/** The JSON of a notice, whose `id` is the same over all tries. */
export function noticePayload(notice: Notice, now: UpstreamInstant): string {
  const { id, type, at, alarms, receiver, more, link } = notice;
  return JSON.stringify({
    id,
    type,
    at: formatInstant(at),
    trial: type === 'trial',
    simulated: alarms.some(({ simulated }) => simulated),
    test: alarms.some(({ test }) => test),
    ...noticeText(notice, now),
    alarms: placedAlarms(notice),
    ...(receiver && { receiver }),
    more,
    link,
  });
}

/**
 * The retained messages of a zone, as payloads by topic. The device comes first: Home Assistant then subscribes to its
 * topics.
 */
export function zoneMessages(
  topics: MqttTopics,
  destination: string,
  zone: AnnouncedZone,
): ReadonlyMap<string, string> {
  const { watched, id } = zone;
  const isRead = watched === 'watched' || watched === 'partly';
  return new Map([
    [configTopic(topics, id), JSON.stringify(discovery(topics, zone))],
    [stateTopic(topics, id), JSON.stringify(zonePayload(destination, zone))],
    [availabilityTopic(topics, id), isRead ? ONLINE : OFFLINE],
  ]);
}

/** The topics of a zone. Empty retained payloads there remove the device. */
export function zoneTopics(topics: MqttTopics, zoneId: string): readonly string[] {
  return [configTopic(topics, zoneId), stateTopic(topics, zoneId), availabilityTopic(topics, zoneId)];
}

function availabilityTopic({ topic }: MqttTopics, zoneId: string): string {
  return `${topic}/zone/${zoneId}/availability`;
}

function configTopic({ discovery_topic }: MqttTopics, zoneId: string): string {
  return `${discovery_topic}/device/lookout_${zoneId}/config`;
}

/** `not_now`: outside its hours, or not watched yet. */
const WATCHED_STATES = ['watched', 'partly', 'not_watched', 'not_now'] as const;

interface ZonePayload {
  /** The destination that published the state. */
  readonly destination: string;
  /** null where it is not known: the zone is partly watched, lacks a rule for entries, or has a suspended rule. */
  readonly occupied: 'ON' | 'OFF' | null;
  /** The number of open alarms that no permit covers; null: not known. */
  readonly open_alarms: number | null;
  /** How many of the open alarms are simulated, and how many are of test broadcasts. */
  readonly simulated: number;
  readonly test: number;
  readonly watched: (typeof WATCHED_STATES)[number];
  /** The reason in the words of the API; null while the zone is watched. */
  readonly watched_reason: AnnouncedZone['reason'];
  readonly last_alarm: AnnouncedZone['last'];
}

/** The state of a zone as JSON. It is never OFF or 0 where the zone is not watched. */
export function zonePayload(
  destination: string,
  { watched, reason, open, last, hasEntryRule }: AnnouncedZone,
): ZonePayload {
  const announced = open.filter(({ expected }) => !expected);
  const inside = sum(open.filter(({ kind }) => RULE_ALARMS.get(kind)?.isInside));
  const alarms = sum(announced);
  // A suspended rule may miss the track that is inside.
  const isEmptyKnown = hasEntryRule && !open.some(({ kind }) => isSuspension(kind));
  return {
    destination,
    occupied: known(watched, inside) ? (inside > 0 ? 'ON' : isEmptyKnown ? 'OFF' : null) : null,
    open_alarms: known(watched, alarms) ? alarms : null,
    simulated: sum(announced.filter(({ simulated }) => simulated)),
    test: sum(announced.filter(({ test }) => test)),
    watched: watched ?? 'not_now',
    watched_reason: reason,
    last_alarm: last,
  };
}

/** Where a part is read, something may be there and nothing is sure to be missing. */
function known(watched: AnnouncedZone['watched'], count: number): boolean {
  return watched === 'watched' || (watched === 'partly' && count > 0);
}

function sum(alarms: readonly OpenAlarms[]): number {
  return alarms.reduce((total, { count }) => total + count, 0);
}

/** One device for the zone, none for a track: references rotate. home-assistant.io/integrations/mqtt, since 2024.11. */
function discovery(topics: MqttTopics, { id, name }: AnnouncedZone) {
  const connected = { topic: statusTopic(topics) };
  const whenConnected = { availability: [connected] };
  const whenRead = { availability: [connected, { topic: availabilityTopic(topics, id) }], availability_mode: 'all' };
  const entity = (key: string, label: string) => ({
    unique_id: `lookout_${id}_${key}`,
    name: label,
    state_topic: stateTopic(topics, id),
    json_attributes_topic: stateTopic(topics, id),
  });
  const tags = "{{ {'simulated': value_json.simulated, 'test': value_json.test} | tojson }}";
  return {
    device: { identifiers: [`lookout_${id}`], name, manufacturer: 'Lookout', model: 'Zone' },
    origin: { name: 'Lookout' },
    qos: 1,
    // Templates render null as None, which is unknown.
    components: {
      occupied: {
        platform: 'binary_sensor',
        device_class: 'occupancy',
        ...entity('occupied', 'Occupied'),
        ...whenRead,
        value_template: '{{ value_json.occupied }}',
        json_attributes_template: tags,
      },
      open_alarms: {
        platform: 'sensor',
        state_class: 'measurement',
        ...entity('open_alarms', 'Open alarms'),
        ...whenRead,
        value_template: '{{ value_json.open_alarms }}',
        json_attributes_template: tags,
      },
      last_alarm: {
        platform: 'sensor',
        device_class: 'timestamp',
        ...entity('last_alarm', 'Last alarm'),
        ...whenConnected,
        value_template: '{{ value_json.last_alarm.opened_at if value_json.last_alarm else None }}',
        json_attributes_template: '{{ (value_json.last_alarm or {}) | tojson }}',
      },
      watched: {
        platform: 'sensor',
        device_class: 'enum',
        ...entity('watched', 'Watched'),
        ...whenConnected,
        options: WATCHED_STATES,
        value_template: '{{ value_json.watched }}',
        json_attributes_template: "{{ {'reason': value_json.watched_reason} | tojson }}",
      },
    },
  };
}
