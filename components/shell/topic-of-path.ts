/** Apart from the texts, which a page loads when the help is opened. */
export type HelpTopic =
  | 'zones'
  | 'rules'
  | 'alarms'
  | 'permits'
  | 'hand-over'
  | 'coverage'
  | 'answers'
  | 'incidents'
  | 'people'
  | 'outputs'
  | 'wall'
  | 'keys'
  | 'marks'
  | 'promises';

/** The topic of a page by its path; `undefined`: the help opens at its beginning. */
export function topicOfPath(path: string): HelpTopic | undefined {
  return TOPIC_OF_PATH.find(([start]) => path === start || path.startsWith(`${start}/`))?.[1];
}

const TOPIC_OF_PATH: readonly (readonly [start: string, topic: HelpTopic])[] = [
  ['/overview', 'coverage'],
  ['/incidents', 'incidents'],
  ['/admin/outputs', 'outputs'],
  ['/admin/receivers', 'coverage'],
  ['/admin', 'people'],
  ['/account', 'people'],
  ['/sign-in', 'people'],
  ['/wall', 'wall'],
];
