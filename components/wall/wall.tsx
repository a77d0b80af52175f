'use client';

import './wall.css';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { WallAddress } from '#lib/api/wall-address.ts';
import { usePageKey } from '#lib/client/browser/pressed-key.ts';
import { LAYER_DISPLAY_ORDER } from '#lib/client/display/layer-text.ts';
import { useTheme } from '#lib/client/page/desk.tsx';
import { useDisplay, useFilter, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { titlePage } from '#lib/client/page/page-title.ts';
import { isPageFailure, signInAddress } from '#lib/client/request/refusal-message.ts';
import { activeCriteria } from '#lib/filter/track-filter.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { AlarmAnnouncer } from '../alarms/alarm-announcer.tsx';
import { EmergencyAlert } from '../emergencies/emergency-alert.tsx';
import { criterionText } from '../filters/filter-text.ts';
import { statusNow } from '../layers/use-layer-text.ts';
import { NoticeList } from '../notices/notice-list.tsx';
import { LinkButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Boundary } from '../ui/failure.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import {
  SCREEN_LOCK_TEXT,
  type ScreenLock,
  type Turn,
  useBeat,
  useIsPointerUsed,
  useReloadAfterFailure,
  useScreenLock,
  useTurns,
} from './use-wall.ts';
import { WallBoard } from './wall-board.tsx';
import { type Loss, lossOf, priceText, troubleOf } from './wall-text.ts';

export interface WallProps {
  readonly wall: WallAddress;
  /** @param scale how many times larger it is shown */
  readonly map: (scale: number) => ReactNode;
}

/**
 * The page of a wall: the map, a clock with a second hand, alarms and layers, for people who stand far away. It only reads,
 * and takes no input but Escape, which shows the way back.
 */
export function Wall(props: WallProps) {
  return (
    <Boundary what="The wall display" wayOut={<ReloadLater />} className="wall-failed">
      <SoundWall {...props} />
    </Boundary>
  );
}

function ReloadLater() {
  useReloadAfterFailure(true);
  return null;
}

/** Heights of the map at scale 1, in CSS pixels: marks have the same part of any screen. */
const MAP_HEIGHT_PX = 540;

function SoundWall({ wall, map }: WallProps) {
  const { feed, server } = useLookout();
  const summary = useDisplay();
  const [{ theme, zone }] = usePreferences();
  const [scale] = useState(() => {
    const { innerWidth, innerHeight } = window;
    return Math.max(1, Math.min(innerHeight, (innerWidth * 9) / 16) / MAP_HEIGHT_PX);
  });
  const picture = useMemo(() => map(scale), [map, scale]);
  const [isOpen, setOpen] = useState(false);
  const back = useRef<HTMLAnchorElement>(null);
  const screenLock = useScreenLock();
  const isPointerUsed = useIsPointerUsed();
  const answeredAt = feed.latest?.asOf;
  const loss = lossOf(summary, answeredAt, zone);
  const turn = useTurns(wall, loss !== undefined);
  useTheme(theme);
  useBeat();
  useReloadAfterFailure(isPageFailure(summary.connection.kind));
  usePageKey('escape', !isOpen, () => setOpen(true));
  useEffect(() => titlePage('Wall display · Lookout'), []);
  return (
    <main className="wall" data-testid="wall" data-pointer={isPointerUsed}>
      <h1 className="sr-only">Lookout: wall display</h1>
      <div className="wall-picture">
        {/* The map takes no input: a touch would move it for all. */}
        <div inert className="wall-map" ref={(place) => place?.style.setProperty('--scale', String(scale))}>
          {picture}
        </div>
        <WallNotes wasPast={wall.wasPast} turn={turn} screenLock={screenLock} />
        {!loss && <WallTroubles />}
      </div>
      <WallBoard stoppedAt={loss && answeredAt} />
      {loss && <LossOverAll loss={loss} />}
      <button type="button" className="wall-leave" onClick={() => setOpen(true)}>
        Leave the wall display (Esc)
      </button>
      <Dialog
        open={isOpen}
        onOpenChange={setOpen}
        title="Wall display"
        description="It shows the present, and takes no input but Esc."
        initialFocus={back}
      >
        <div className="flex flex-col items-start gap-3">
          <p>{SCREEN_LOCK_TEXT[screenLock]}</p>
          {turn && server.hasAllowance && <p>{priceText(turn.queries, wall.everyS)}</p>}
          <div className="flex flex-wrap gap-2">
            {summary.connection.kind === 'signed-out' && wall.back !== undefined && (
              <LinkButton href={signInAddress()}>Sign in again</LinkButton>
            )}
            <LinkButton ref={back} look="primary" href={wall.back ?? '/sign-in'}>
              {wall.back === undefined ? 'Sign in for the map' : 'Back to the map'}
            </LinkButton>
          </div>
        </div>
      </Dialog>
      <AlarmAnnouncer />
      <EmergencyAlert />
    </main>
  );
}

interface WallNotesProps {
  readonly wasPast: boolean;
  readonly turn: Turn | undefined;
  readonly screenLock: ScreenLock;
}

/** The lines that qualify the picture: a recording, simulated, filtered, one of several views. */
function WallNotes({ wasPast, turn, screenLock }: WallNotesProps) {
  const { filter } = useFilter();
  const [{ units }] = usePreferences();
  const isOpening = useIsFirstMinute();
  const criteria = activeCriteria(filter).map((criterion) => criterionText(filter, criterion, units));
  const opening = [
    'Esc: leave the wall display',
    ...(wasPast ? ['The replay of the link is not shown: a wall is live.'] : []),
    ...(screenLock === 'held' || screenLock === 'asked' ? [] : [SCREEN_LOCK_TEXT[screenLock]]),
  ];
  const lines = [
    ...(turn?.name === undefined ? [] : [turn.count > 1 ? `${turn.name} · ${turn.place} of ${turn.count}` : turn.name]),
    ...(turn && turn.missing > 0 ? [missingText(turn.missing)] : []),
    ...(criteria.length > 0 ? [`Filter: ${criteria.join(', ')}`] : []),
    ...(isOpening ? opening : []),
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

function missingText(count: number): string {
  return count === 1 ? '1 saved view is no longer there' : `${count} saved views are no longer there`;
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

function LossOverAll({ loss: { title, since, why } }: { readonly loss: Loss }) {
  return (
    <div className="wall-loss" role="alert" data-testid="wall-loss">
      <div>
        <p className="wall-loss-title">{title}</p>
        {since !== '' && <p className="wall-loss-title">{since}</p>}
        {/* Its seconds are hidden from screen readers, which would read each. */}
        <p aria-hidden className="wall-loss-why">
          {why}
        </p>
      </div>
    </div>
  );
}
