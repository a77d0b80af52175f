import { WATCHED_STATES, zonePayload } from './zone-payload.ts';
import type { AnnouncedZone } from './zone-state.ts';

export interface MqttTopics {
  /** Of Lookout. */
  readonly topic: string;
  /** Of Home Assistant. */
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

/** Retained. The device first: Home Assistant then subscribes to its topics. @returns payloads by topic */
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

/** Empty retained payloads there remove the device. */
export function zoneTopics(topics: MqttTopics, zoneId: string): readonly string[] {
  return [configTopic(topics, zoneId), stateTopic(topics, zoneId), availabilityTopic(topics, zoneId)];
}

function availabilityTopic({ topic }: MqttTopics, zoneId: string): string {
  return `${topic}/zone/${zoneId}/availability`;
}

function configTopic({ discovery_topic }: MqttTopics, zoneId: string): string {
  return `${discovery_topic}/device/lookout_${zoneId}/config`;
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
