'use client';

import './wall.css';
import { Bell, BellOff, BellRing, Siren } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { WallAddress } from '#lib/api/wall-address.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { usePageKey } from '#lib/client/browser/pressed-key.ts';
import { LAYER_DISPLAY_ORDER, LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { useTheme } from '#lib/client/page/desk.tsx';
import { useDisplay, useFilter, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { titlePage } from '#lib/client/page/page-title.ts';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { isPageFailure, signInAddress } from '#lib/client/request/refusal-message.ts';
import { activeCriteria } from '#lib/filter/track-filter.ts';
import { bboxCovers, joinAtAntimeridian } from '#lib/geo/bbox.ts';
import { clockText, dateText } from '#lib/model/clock-text.ts';
import type { Layer } from '#lib/model/position.ts';
import { drawnOf } from '#lib/picture/draw-picture.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { alarmHeadline } from '#lib/zones/alarm-words.ts';
import { AlarmAnnouncer } from '../alarms/alarm-announcer.tsx';
import { useAlarmWords } from '../alarms/alarm-chip.tsx';
import { alarmAgeText, alarmTags } from '../alarms/alarm-text.ts';
import { EmergencyAlert } from '../emergencies/emergency-alert.tsx';
import { emergencyNumbers } from '../emergencies/emergency-text.ts';
import { criterionText } from '../filters/filter-text.ts';
import { shortCounts } from '../layers/count-text.ts';
import { statusNow, useLayerText } from '../layers/use-layer-text.ts';
import { NoticeList } from '../notices/notice-list.tsx';
import { Boundary } from '../ui/failure.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { ReloadLater, useBeat, useIsPointerUsed, useScale, useScreenLock, useTurns } from './use-wall.ts';
import { lossOf, oldestOf, troubleOf } from './wall-text.ts';

export interface WallProps {
  readonly wall: WallAddress;
  /** @param scale how many times larger it is shown */
  readonly map: (scale: number) => ReactNode;
}

/**
 * The page of a wall: the map, a clock with a second hand, alarms and layers, for people who stand far away. It only reads,
 * and takes no input but to show the way back.
 */
export function Wall(props: WallProps) {
  return (
    <Boundary what="The wall display" wayOut={<ReloadLater />} className="wall-failed">
      <SoundWall {...props} />
    </Boundary>
  );
}

/** How long Escape shows the way back. */
const WAY_SHOWN_MS = 10_000;

function SoundWall({ wall, map }: WallProps) {
  const { feed } = useLookout();
  const summary = useDisplay();
  const [{ theme, zone }] = usePreferences();
  const scale = useScale();
  const picture = useMemo(() => map(scale), [map, scale]);
  const isPointerUsed = useIsPointerUsed();
  const answeredAt = feed.latest?.asOf;
  const loss = lossOf(summary, answeredAt, zone);
  const turns = useTurns(wall, loss !== undefined);
  const { kind } = summary.connection;
  const way = useRef<HTMLAnchorElement>(null);
  const [href, wayText] =
    wall.back === undefined
      ? ['/sign-in', 'Sign in for the map']
      : kind === 'signed-out'
        ? [signInAddress(), 'Sign in again']
        : [wall.back, 'Back to the map'];
  useTheme(theme);
  useBeat();
  usePageKey('escape', true, () => {
    way.current?.focus();
    // A key that was hit by chance leaves no trace.
    setTimeout(() => way.current?.blur(), WAY_SHOWN_MS);
  });
  useEffect(() => titlePage('Wall display · Lookout'), []);
  return (
    <main className="wall" data-testid="wall" data-pointer={isPointerUsed}>
      <h1 className="sr-only">Lookout: wall display</h1>
      <div className="wall-picture">
        {/* The map takes no input: a touch would move it for all. */}
        <div inert className="wall-map" ref={(place) => place?.style.setProperty('--scale', String(scale))}>
          {picture}
        </div>
        <WallNotes wasPast={wall.wasPast} turns={turns} />
        {!loss && <WallTroubles />}
      </div>
      <WallBoard stoppedAt={loss && answeredAt} />
      {loss && (
        <div className="wall-loss" role="alert" data-testid="wall-loss">
          <div>
            <p className="wall-loss-title">{loss.title}</p>
            {loss.since !== '' && <p className="wall-loss-title">{loss.since}</p>}
            {/* Its seconds are hidden from screen readers, which would read each. */}
            <p aria-hidden className="wall-loss-why">
              {loss.why}
            </p>
          </div>
        </div>
      )}
      {isPageFailure(kind) && <ReloadLater />}
      <a ref={way} href={href} className="skip-link" data-shown={isPointerUsed}>
        {wayText}
      </a>
      <AlarmAnnouncer />
      <EmergencyAlert />
    </main>
  );
}

interface WallNotesProps {
  readonly wasPast: boolean;
  readonly turns: readonly string[];
}

/** The lines that qualify the picture: a recording, simulated, filtered, one of several views. */
function WallNotes({ wasPast, turns }: WallNotesProps) {
  const { filter } = useFilter();
  const [{ units }] = usePreferences();
  const isOpening = useIsFirstMinute();
  const screenText = useScreenLock();
  const criteria = activeCriteria(filter).map((criterion) => criterionText(filter, criterion, units));
  const lines = [
    ...turns,
    ...(criteria.length > 0 ? [`Filter: ${criteria.join(', ')}`] : []),
    ...(isOpening ? ['Esc shows the way back'] : []),
    ...(isOpening && wasPast ? ['The replay of the link is not shown: a wall is live.'] : []),
    ...(isOpening && screenText !== undefined ? [screenText] : []),
  ];
  return (
    <div className="wall-notes" data-testid="wall-notes">
      <NoticeList note={undefined} />
      {lines.map((line) => (
        <p key={line} className="strip-line">
          {line}
        </p>
      ))}
    </div>
  );
}

function useIsFirstMinute(): boolean {
  const [isFirst, setFirst] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setFirst(false), MINUTE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isFirst;
}

/** The troubles of layers, over their marks. */
function WallTroubles() {
  const { layers, connection, now } = useDisplay();
  const [{ zone }] = usePreferences();
  const troubles = LAYER_DISPLAY_ORDER.flatMap(
    (layer) => troubleOf(statusNow(layers[layer], connection, now), now, zone) ?? [],
  );
  return (
    <div className="wall-troubles" data-testid="wall-troubles" translate="no">
      {troubles.map(({ isBad, sentence }) => (
        <p key={sentence} className={isBad ? 'failure-line' : 'strip-line'}>
          <ToneMark tone={isBad ? 'bad' : 'warning'} />
          <span>{sentence}</span>
        </p>
      ))}
    </div>
  );
}

interface StoppedAt {
  /** Where the second hand stands, while the picture is not of now. */
  readonly stoppedAt: UpstreamInstant | undefined;
}

/** The column of a wall: the clock, alarms, emergencies and layers, in letters that are read from five metres. */
function WallBoard({ stoppedAt }: StoppedAt) {
  const { emergencies, filtered } = useDisplay();
  const { hiddenEmergencies } = filtered;
  const numbers = emergencyNumbers(emergencies, hiddenEmergencies);
  const isOne = drawnOf(emergencies) + hiddenEmergencies === 1;
  return (
    <div className="wall-board" translate="no">
      <WallClock stoppedAt={stoppedAt} />
      <WallAlarms />
      {/* Nothing without emergencies, which is no all-clear. */}
      {numbers.length > 0 && (
        <section
          className="wall-emergencies"
          data-testid="wall-emergencies"
          data-real={emergencies.current.real + emergencies.expired.real > 0}
          aria-label="Emergencies"
        >
          <Siren aria-hidden />
          <p>
            {numbers.join(' + ')} {isOne ? 'emergency' : 'emergencies'}
          </p>
        </section>
      )}
      <ul className="wall-layers" aria-label="Layers">
        {LAYER_DISPLAY_ORDER.map((layer) => (
          <WallLayer key={layer} layer={layer} isLost={stoppedAt !== undefined} />
        ))}
      </ul>
    </div>
  );
}

const DEGREES_A_SECOND = 6;

/** The second hand moves with the picture alone: the beat that draws the marks turns it, and it stands still without answers. */
function WallClock({ stoppedAt }: StoppedAt) {
  const now = useNow();
  const [{ zone }] = usePreferences();
  if (now === undefined) return <p className="wall-clock">Time not known yet</p>;
  const [time, offset] = clockText(now, zone).split(' ');
  const second = Math.floor((epochMs(stoppedAt ?? now) % MINUTE_MS) / SECOND_MS);
  return (
    <div className="wall-clock" data-testid="wall-clock">
      <svg
        aria-hidden
        viewBox="-50 -50 100 100"
        className="wall-hand"
        data-testid="wall-hand"
        data-second={second}
        data-stopped={stoppedAt !== undefined}
      >
        <circle r="46" />
        {Array.from({ length: 12 }, (_, hour) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the marks of a dial never change.
          <line key={hour} y1="-44" y2="-36" transform={`rotate(${hour * 30})`} />
        ))}
        <line className="wall-hand-line" y1="10" y2="-38" transform={`rotate(${second * DEGREES_A_SECOND})`} />
      </svg>
      <div>
        <p className="wall-time">{time}</p>
        <p className="wall-date">
          {dateText(now, zone)} {offset}
        </p>
      </div>
    </div>
  );
}

/** How many alarms are new, and what fits of the oldest, which has waited longest, and of the latest. */
function WallAlarms() {
  const { fresh, words } = useAlarmWords();
  const oldest = oldestOf(fresh);
  const [latest] = fresh;
  const Icon = oldest ? BellRing : words.isOff ? BellOff : Bell;
  return (
    <section
      className="wall-alarms"
      data-testid="wall-alarms"
      data-tone={oldest ? 'bad' : words.isOff ? 'warning' : 'neutral'}
      aria-label="Alarms"
    >
      <p className="wall-alarm-count">
        <Icon aria-hidden />
        {words.count} {words.noun}
      </p>
      {!oldest && words.what !== '' && <p className="wall-alarm">{words.what}</p>}
      {oldest && <WallAlarm label={fresh.length === 1 ? '' : 'Oldest: '} alarm={oldest} />}
      {latest && latest !== oldest && <WallAlarm label="Latest: " alarm={latest} />}
    </section>
  );
}

function WallAlarm({ label, alarm }: { readonly label: string; readonly alarm: Alarm }) {
  const now = useNow();
  const [{ zone }] = usePreferences();
  return (
    <div className="wall-alarm">
      <p>
        {label}
        {alarmAgeText(alarm, now)}
      </p>
      <p className="wall-alarm-head">{[...alarmTags(alarm, now, zone), alarmHeadline(alarm)].join(' ')}</p>
    </div>
  );
}

function WallLayer({ layer, isLost }: { readonly layer: Layer; readonly isLost: boolean }) {
  const { tone: toneOfAnswer, short, counts, showsCount } = useLayerText(layer);
  const tone = isLost && toneOfAnswer === 'good' ? 'warning' : toneOfAnswer;
  const shown = useDisplay(({ filtered }) => filtered.shownOf[layer]);
  const isOn = useDisplay(({ layers }) => layers[layer].on);
  const isRead = useIsPlaceRead() || !isOn;
  const isNone = showsCount && drawnOf(counts) === 0;
  return (
    <li className="wall-layer" data-tone={tone} data-testid={`wall-layer-${layer}`}>
      <ToneMark tone={tone} />
      <span className="wall-layer-name">{LAYER_NAME[layer]}</span>
      <span className="wall-layer-count">{showsCount && isRead && shortCounts(counts, shown).join(' + ')}</span>
      <span className="wall-layer-state">{isRead ? `${isNone ? 'none received · ' : ''}${short}` : 'reading…'}</span>
    </li>
  );
}

/** Whether the last answer is of what the map shows: a turn to another view comes first, and 0 would be of the one before. */
function useIsPlaceRead(): boolean {
  const { visible } = useValue(useLookout().mapView);
  return useDisplay(({ covered, capped }) => {
    const answered = joinAtAntimeridian(covered);
    return capped || !visible || !answered || bboxCovers(answered, visible);
  });
}
