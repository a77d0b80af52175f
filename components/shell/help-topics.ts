import type { HelpTopic } from './topic-of-path.ts';

/** The texts of the help by topic. A page opens the help at its own topic. A reservation stands here once, and on no page. */

export const HELP_TOPICS = [
  {
    id: 'zones',
    title: 'Zones',
    lines: [
      'A zone is an area that Lookout watches for you on its server, with or without an open page. W opens Zones and alarms.',
      'Its shape is a circle, a polygon with or without holes, or a corridor along a line. It may have a lowest and a highest height, and hours.',
      'Draw the shape, choose a runway or an airport, write its points, or import a file: GeoJSON, KML, ED-269, ED-318 or OpenAir.',
      'Without a rule a zone is drawn on the map and not watched.',
      '“Watched since” says from when its positions are read. A time that was not watched is listed with its reason, and raises no alarm unless it is read later from history.',
      'The menu of a zone asks “What was in here?” and replays the zone. Its exact shape decides, and not the box around it.',
    ],
  },
  {
    id: 'rules',
    title: 'Rules',
    lines: [
      'A rule raises an alarm for a track that entered or left, stayed too long, or flies too high, too low or too fast. Other rules look for emergencies, for two tracks close together, and for a track that is about to enter.',
      '“Nothing received” warns that reception may have failed. It says nothing about traffic.',
      '“Alarm after” and “End after” avoid repeated alarms at the edge: a track must be in, or out, for so long or so far.',
      'An alarm at the edge of reception, “Drone appeared inside”, has no position outside before.',
      'A height is compared in the field that the zone names. The zone decides about an unknown height: it counts, it does not count, or it is marked.',
      '“Try it first” shows which alarms the rules would have raised in the past. Only loaded positions are tested.',
      'A rule that raises more alarms than can be listed is suspended, and says so in one alarm.',
    ],
  },
  {
    id: 'alarms',
    title: 'Alarms',
    lines: [
      'Alarms are an aid, never a safety service. They come from received positions alone. No alarm does not mean that nothing is there.',
      'Acknowledge an alarm to say that you have seen it; close it to say what it was. Both keep your name, the time and your comment.',
      '“Not known” means that the zone is not watched at the moment: the track may still be inside.',
      '“Perhaps one aircraft” joins alarms that may be of the same aircraft or drone. Lookout never joins two references for you.',
      'The shift report lists alarms with all comments, and for each zone how long it was watched.',
    ],
  },
  {
    id: 'permits',
    title: 'Permits',
    lines: [
      'A permit lets known traffic fly in a zone: its alarms are recorded as expected and are not announced.',
      'A permit has a name that people read, a start, an end, and a volume: the whole zone, or an area with heights.',
      'A permit for one track ends with its reference, which may change in flight. A permit for a volume covers every track in it.',
      'An alarm says why a permit does not cover it: it has not begun, it has ended, the track is outside its area or heights, or the height is unknown.',
    ],
  },
  {
    id: 'coverage',
    title: 'Coverage',
    lines: [
      'Received positions only. Coverage is not guaranteed; an empty area is not a clear area. Not for collision avoidance or emergencies.',
      'Reception depends on height, terrain, weather and on what an aircraft sends. A drone without Remote ID is not received.',
      'The overview says where and in which hours positions were received. Hours that were not watched, and hours without receivers, are apart from hours in which nothing was received.',
      'A hatched minute of a replay is not loaded, or had no receiver.',
    ],
  },
  {
    id: 'answers',
    title: 'Replays and answers',
    lines: [
      'R replays the last minutes. Draw an area with D, write the times and ask “Tracks here?”: the answer lists the tracks that were received inside.',
      'The answer says “no” only if the whole window and area are loaded and receivers were there. Otherwise it says what is missing.',
      'A track without a position inside may have crossed between two positions. It is listed as not known.',
      'The answer prints on paper with a light map, the trails and their times, the nearest drone, a scale, the place in words and your note.',
      'A replay shows its price in requests before it loads. Loaded once, it costs the next operator nothing.',
    ],
  },
  {
    id: 'people',
    title: 'People',
    lines: [
      'Viewer: watch. Operator: zones, alarms, replay. Admin: also people and outputs.',
      'A shared zone is seen by everyone of this Lookout. A zone of your own is seen by you and by admins.',
      'A passkey signs you in without a password, from the device or the security key that keeps it.',
    ],
  },
  {
    id: 'outputs',
    title: 'Outputs',
    lines: [
      'A destination receives alarms elsewhere: a webhook, a phone, mail, MQTT or a map of another program.',
      'A notice that cannot be sent is tried again, and the destination says since when it fails.',
      'A token lets another program read what Lookout shows, and nothing else.',
    ],
  },
] as const satisfies readonly { readonly id: HelpTopic; readonly title: string; readonly lines: readonly string[] }[];

/** Whether a text has each word of a search, in any order. */
export function isFound(wanted: string, ...texts: readonly string[]): boolean {
  const text = texts.join(' ').toLocaleLowerCase();
  return wanted
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
