'use client';

import { Bell, BellOff, BellRing, Siren } from 'lucide-react';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { LAYER_DISPLAY_ORDER, LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { useDisplay, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { bboxCovers, joinAtAntimeridian } from '#lib/geo/bbox.ts';
import { clockText, dateText } from '#lib/model/clock-text.ts';
import type { Layer } from '#lib/model/position.ts';
import { drawnOf, sumOfCounts } from '#lib/picture/draw-picture.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { alarmHeadline } from '#lib/zones/alarm-words.ts';
import { useAlarmWords } from '../alarms/alarm-chip.tsx';
import { alarmAgeText, alarmTags } from '../alarms/alarm-text.ts';
import { emergencyNumbers } from '../emergencies/emergency-text.ts';
import { shortCounts } from '../layers/count-text.ts';
import { useLayerText } from '../layers/use-layer-text.ts';
import { ToneMark } from '../ui/tone-mark.tsx';
import { oldestOf } from './wall-text.ts';

/** The column of a wall: the clock, alarms, emergencies and layers, in letters that are read from five metres. */
export function WallBoard({ stoppedAt }: { readonly stoppedAt: UpstreamInstant | undefined }) {
  return (
    <div className="wall-board" translate="no">
      <WallClock stoppedAt={stoppedAt} />
      <WallAlarms />
      <WallEmergencies />
      <ul className="wall-layers" aria-label="Layers">
        {LAYER_DISPLAY_ORDER.map((layer) => (
          <WallLayer key={layer} layer={layer} />
        ))}
      </ul>
    </div>
  );
}

/** @param stoppedAt where the second hand stands, while the picture is not of now */
function WallClock({ stoppedAt }: { readonly stoppedAt: UpstreamInstant | undefined }) {
  const now = useNow();
  const [{ zone }] = usePreferences();
  if (now === undefined) return <p className="wall-clock">Time not known yet</p>;
  const [time = '', offset = ''] = clockText(now, zone).split(' ');
  return (
    <div className="wall-clock" data-testid="wall-clock">
      <SecondHand at={stoppedAt ?? now} isStopped={stoppedAt !== undefined} />
      <div>
        <p className="wall-time">{time}</p>
        <p className="wall-date">
          {dateText(now, zone)} {offset}
        </p>
      </div>
    </div>
  );
}

const DEGREES_A_SECOND = 6;

/** It moves with the picture alone: the beat that draws the marks turns it, and it stands still without answers. */
function SecondHand({ at, isStopped }: { readonly at: UpstreamInstant; readonly isStopped: boolean }) {
  const second = Math.floor((epochMs(at) % MINUTE_MS) / SECOND_MS);
  return (
    <svg
      aria-hidden
      viewBox="-50 -50 100 100"
      className="wall-hand"
      data-testid="wall-hand"
      data-second={second}
      data-stopped={isStopped}
    >
      <circle r="46" />
      {Array.from({ length: 12 }, (_, hour) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the marks of a dial never change.
        <line key={hour} y1="-44" y2="-36" transform={`rotate(${hour * 30})`} />
      ))}
      <line className="wall-hand-line" y1="10" y2="-38" transform={`rotate(${second * DEGREES_A_SECOND})`} />
    </svg>
  );
}

function WallAlarms() {
  const { fresh, words } = useAlarmWords();
  const { emergencies } = useDisplay();
  const oldest = oldestOf(fresh);
  const [latest] = fresh;
  const hasEmergency = drawnOf(emergencies) > 0;
  if (!oldest)
    return (
      <section className="wall-alarms" data-testid="wall-alarms" data-off={words.isOff} aria-label="Alarms">
        <p className="wall-alarm-count">
          {words.isOff ? <BellOff aria-hidden /> : <Bell aria-hidden />}
          {words.count} {words.noun}
        </p>
        {words.what !== '' && <p>{words.what}</p>}
      </section>
    );
  return (
    <section className="wall-alarms" data-testid="wall-alarms" data-new={fresh.length} aria-label="Alarms">
      <p className="wall-alarm-count">
        <BellRing aria-hidden />
        {words.count} {words.noun}
      </p>
      <WallAlarm label={fresh.length === 1 ? '' : 'Oldest: '} alarm={oldest} />
      {/* The oldest has waited longest: where room is short, it alone is named. */}
      {latest && latest !== oldest && !hasEmergency && <WallAlarm label="Latest: " alarm={latest} />}
    </section>
  );
}

function WallAlarm({ label, alarm }: { readonly label: string; readonly alarm: Alarm }) {
  const now = useNow();
  const [{ zone }] = usePreferences();
  const tags = alarmTags(alarm, now, zone);
  return (
    <div className="wall-alarm">
      <p>
        {label}
        {alarmAgeText(alarm, now)}
      </p>
      <p className="wall-alarm-head">{[...tags, alarmHeadline(alarm)].join(' ')}</p>
    </div>
  );
}

/** Nothing without emergencies, which is no all-clear. */
function WallEmergencies() {
  const { emergencies, filtered } = useDisplay();
  const { current, expired } = emergencies;
  const numbers = emergencyNumbers(emergencies, filtered.hiddenEmergencies);
  if (numbers.length === 0) return null;
  const count = sumOfCounts(current) + sumOfCounts(expired) + filtered.hiddenEmergencies;
  return (
    <section
      className="wall-emergencies"
      data-testid="wall-emergencies"
      data-real={current.real + expired.real > 0}
      aria-label="Emergencies"
    >
      <Siren aria-hidden />
      <p>
        {numbers.join(' + ')} {count === 1 ? 'emergency' : 'emergencies'}
      </p>
    </section>
  );
}

function WallLayer({ layer }: { readonly layer: Layer }) {
  const { tone, short, counts, showsCount } = useLayerText(layer);
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
