'use client';

import { TriangleAlert, X } from 'lucide-react';
import { useState } from 'react';
import { useDisplay, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { regionMapProblem } from '#lib/client/page/region-map.ts';
import { signInAddress } from '#lib/client/request/refusal-message.ts';
import { areAllSimulated } from '#lib/picture/draw-picture.ts';
import { classNames } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { ignoredText, type PageNotice, pageNotices, replayTimeText } from './notice-text.ts';

export interface NoticeListProps {
  readonly note: string | undefined;
}

/**
 * The notices over the map: a recording, simulated traffic, a capped view, and what of the address was ignored.
 * Screen readers announce each once, and never what changes every second.
 */
export function NoticeList({ note }: NoticeListProps) {
  const { link, server } = useLookout();
  const summary = useDisplay();
  return (
    <div role="status" translate="no" className="contents">
      {server.isRecording && (
        <p data-testid="notice-recording" data-tone="kind" className="strip-line font-semibold">
          Playback of a recording: not live
        </p>
      )}
      {areAllSimulated(Object.values(summary.filtered.shownOf)) && (
        <p data-testid="notice-all-simulated" data-tone="kind" className="strip-line font-semibold">
          <span className="dock-narrow:hidden">All traffic shown is simulated</span>
          <span className="hidden dock-narrow:inline">All simulated</span>
        </p>
      )}
      {pageNotices(summary).map(
        (notice) => notice.tone === 'warning' && <NoticeLine key={notice.key} notice={notice} />,
      )}
      <MapNotice />
      {(link.ignored.length > 0 || link.cutAt !== undefined) && <IgnoredNotice />}
      {note !== undefined && (
        <p data-testid="notice-note" className="strip-line text-dim">
          {note}
        </p>
      )}
    </div>
  );
}

/**
 * A failure of the connection, such as a server that does not answer: a red line of its own at the map's upper edge. It
 * covers marks that have stopped, and moves nothing.
 */
export function FailureNotices() {
  const failures = pageNotices(useDisplay()).filter(({ tone }) => tone === 'bad');
  return (
    <div role="status" translate="no">
      {failures.map((notice) => (
        <NoticeLine key={notice.key} notice={notice} />
      ))}
    </div>
  );
}

function NoticeLine({ notice }: { readonly notice: PageNotice }) {
  const { key, tone, sentence, age, remedy } = notice;
  const remedyClass = classNames('ml-2 font-semibold underline', tone !== 'bad' && 'text-focus');
  return (
    <p data-testid={`notice-${key}`} data-tone={tone} className={tone === 'bad' ? 'failure-line' : 'strip-line'}>
      {tone === 'bad' ? <TriangleAlert aria-hidden size={18} className="shrink-0" /> : <ToneMark tone={tone} />}
      <span>
        {sentence}
        {/* The age is hidden from screen readers, which would read it each second. */}
        {age !== undefined && <span aria-hidden> {age}</span>}
        {remedy === 'sign-in' && (
          <a className={remedyClass} href={signInAddress()}>
            Sign in again
          </a>
        )}
        {remedy === 'reload' && (
          <button type="button" className={remedyClass} onClick={() => window.location.reload()}>
            Reload the page
          </button>
        )}
      </span>
    </p>
  );
}

function MapNotice() {
  const state = useValue(useLookout().regionMap);
  if (state.kind !== 'failed') return null;
  return (
    <p data-testid="notice-map" data-tone="warning" className="strip-line">
      <ToneMark tone="warning" />
      <span>{regionMapProblem(state)}</span>
    </p>
  );
}

/** The longest text without a date and without local time. */
const SHORT_PLATE_MAX = 'REPLAY 00:00:00Z · 11 h 59 min ago'.length;

/** Says that the page is in the past. It is no status, so that it is not announced each second. */
export function ReplayPlate() {
  const { shownAt, now, isPast } = useDisplay();
  const [{ zone }] = usePreferences();
  if (!isPast || shownAt === undefined) return null;
  // Lines break only after a dot.
  const text = `REPLAY ${replayTimeText(shownAt, now, zone)}`.replaceAll(/(?<!·) /g, '\u00a0');
  return (
    <p
      translate="no"
      data-testid="replay-plate"
      data-long={text.length > SHORT_PLATE_MAX}
      className="strip-plate rounded-control bg-warning px-3 font-mono font-semibold text-[15px] text-surface leading-(--strip-line) dock-narrow:px-2 dock-narrow:text-table dock-narrow:leading-(--strip-line)"
    >
      {text}
    </p>
  );
}

function IgnoredNotice() {
  const { link } = useLookout();
  const [open, setOpen] = useState(true);
  if (!open) return null;
  return (
    <div data-testid="notice-ignored" className="strip-line text-dim">
      <p>{ignoredText(link.ignored, link.cutAt)}</p>
      <IconButton
        look="quiet"
        shape="small-icon"
        label="Dismiss this notice"
        icon={<X />}
        onClick={() => setOpen(false)}
      />
    </div>
  );
}
