import { ALARM_NOTICE } from '#lib/zones/alarm-words.ts';
import { COVERAGE_NOTICE } from '../ui/coverage-notice.tsx';
import type { HelpTopic } from './topic-of-path.ts';

/** The texts of the help by topic. A page opens the help at its own topic. A reservation stands here once, and on no page. */

export const HELP_TOPICS = [
  {
    id: 'zones',
    title: 'Zones',
    lines: [
      'A zone is an area that Lookout’s server watches, with or without an open page.',
      'W opens zones and alarms. Begin with a preset: Runway, Prison, Event and Site watch drones up to 150 m above ground.',
      'Its shape is a circle, a polygon or a corridor along a line: draw it, choose a runway or an airport, or write its points. A file may be GeoJSON, KML, ED-269, ED-318 or OpenAir.',
      'Each zone has one of four colours, the same on the map and in the list. Red is for new alarms alone.',
      'A zone may have a floor, a ceiling and hours. Without a rule it is drawn on the map and not watched.',
      '“Watched since” is the time from which its positions are read. A gap in watching is listed with its reason.',
      '“What was in here?” and “Replay this zone” are in the menu of a zone. Its exact shape and heights decide.',
    ],
  },
  {
    id: 'rules',
    title: 'Rules',
    lines: [
      'A rule raises an alarm for a track that enters or leaves, stays too long, or flies too high, too low or too fast. Other rules look for emergencies, for two tracks close together, and for a track that is about to enter.',
      '“Nothing received” warns that reception may have failed. It says nothing about traffic.',
      '“Drone appeared inside”: the first received position of the track was inside already.',
      '“Alarm after” and “End after” avoid repeated alarms at the edge: a track must be in, or out, for so long or so far.',
      'Limits are compared with the height above ground or with the altitude, whichever the zone names. The zone also says whether an unknown height counts.',
      '“Try it first” shows which alarms the rules would have raised in the past. Only loaded positions are tested.',
      'A rule that raises more alarms than can be listed is suspended, and says so in one alarm.',
    ],
  },
  {
    id: 'alarms',
    title: 'Alarms',
    lines: [
      ALARM_NOTICE,
      'A goes to the first new alarm, and acknowledges it when pressed again. Close an alarm to say what it was. Both keep your name, the time and your comment.',
      '“Lost” means that the zone is not watched at the moment: the track may still be inside.',
      '“Perhaps one aircraft” lists alarms together whose references may be of one aircraft or drone. It is a guess.',
      'The shift report, in the log, lists the notes for the next shift, alarms with all comments, permits, and how long each zone was watched.',
    ],
  },
  {
    id: 'permits',
    title: 'Permits',
    lines: [
      'A permit lets known traffic fly in a zone: its alarms are recorded as expected and are not announced.',
      'A permit has a name that people read, a start, an end, and a volume. Its area is the whole zone, a circle around the track, or one that you draw; it may have heights.',
      'Permit from the row of an alarm, from the card of a track, or in the list. An alarm that is covered names the permit and its end.',
      'A permit for one track ends with its reference, which may change in flight. A permit for a volume covers every track in it.',
      'When a permit ends, or the track leaves its area or heights, the alarm is new again and is announced.',
      'A track whose height is unknown is not covered by a permit with a limit; its alarm says so.',
      'Switch on “Flight expected” where a flight is announced to you: Lookout records when it was received. If it was not received while the zone was watched, the log says so, with how much of the time was watched.',
      'The list of permits is imported and exported as GeoJSON. Operational intents (ASTM F3548) are imported, too.',
      'A permit that ends more than 31 days from now, or more than a day for an area wider than 100 km, needs an admin.',
    ],
  },
  {
    id: 'hand-over',
    title: 'Hand-over',
    lines: [
      'Leave a note for the next shift in the list Hand-over. It is shown when a colleague opens Lookout, below the open alarms and the zones that are not watched, until that colleague has marked it as read.',
      'The note names who wrote it and who has read it. The shift report has the notes of its span.',
      'An admin hands zones over to another person in the menu of a zone. Alarms and permits stay with the zone.',
    ],
  },
  {
    id: 'coverage',
    title: 'Coverage',
    lines: [
      COVERAGE_NOTICE,
      'Reception depends on height, terrain, weather and on what an aircraft sends. A drone without Remote ID is not received.',
      'The overview says where and in which hours positions were received. “Night” and “Work” count these hours alone, on as many days as the span has.',
      'An hour that was not watched has no colour. A hatched one was watched, and nothing was received.',
      '“Measured reception” is the share of time in which tracks were received, between their first and last reception. A place without a reception stays not known.',
      'References are counted once in each hour. One aircraft can have several.',
      'In a replay a dashed minute is not loaded, and a red line means that all receivers were down.',
    ],
  },
  {
    id: 'answers',
    title: 'Replays and areas',
    lines: [
      'R replays the last minutes. D draws an area: write its times and ask “Tracks here?”. The answer lists the tracks that were received inside.',
      'The answer says “no” only if the whole window and area are loaded and receivers were there. Otherwise it says what is missing.',
      'A track without a position inside may have crossed between two positions. It is listed as not known.',
      'The answer is printed with a light map, trails and times, the nearest drone, a scale, the place in words and your note.',
    ],
  },
  {
    id: 'incidents',
    title: 'Incidents',
    lines: [
      'An incident gathers what was received in an area and time, what was not watched, and what people did. Everyone sees it; operators write, and admins delete.',
      'Open one from the row of an alarm, from the card of its track, or from the menu of any track. “New incident”, among the map’s tools, takes the replay, the drawn area or the selected track. While one is open, the bar of every page leads to it.',
      '“Note on the incident”, among the map’s tools, writes a note with the marked place. “Check a sighting” needs no incident.',
      'The answer has three values for each layer: received, none received while watched, and not known.',
      'Notes are never edited: a correction is a new note. Write who decided what, and when.',
      'A sighting is a report by a person. Its check says which received tracks fit, and never what the person saw.',
      'Closing keeps the positions, also after 30 days. Sealing makes a signed file, after which nothing changes. README.txt in it tells police and courts what each part means, and how to check it.',
    ],
  },
  {
    id: 'people',
    title: 'People',
    lines: [
      'Viewer: watch. Operator: zones, alarms, replay. Admin: also people and outputs.',
      'Every operator sees a shared zone. Only you and admins see a zone of your own.',
      'A passkey signs you in without a password, from the device or the security key that keeps it.',
    ],
  },
  {
    id: 'outputs',
    title: 'Outputs',
    lines: [
      'A destination receives alarms elsewhere: a webhook, a phone, mail, MQTT or a map of another program.',
      'A notice that cannot be sent is tried again, and the destination says since when it fails.',
      'A token lets another program read what Lookout watches now, and nothing else. The terms of the service decide what you may hand on.',
    ],
  },
  {
    id: 'wall',
    title: 'Wall display',
    lines: [
      'For a screen on a wall: open it in the tab View. It shows one view, or saved views in turn, and only reads.',
      'Its letters are read from three times the diagonal of the screen: 5 m for 65 inches.',
      'The second hand moves with the picture. It stands still while no answers arrive, and a red band says since when.',
      'Esc shows the way back to the map. A wall shows no replay.',
      'Each view is read while it is shown, day and night: with an allowance, a wall takes the share of one person.',
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
