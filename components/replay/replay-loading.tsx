'use client';

import { RotateCcw } from 'lucide-react';
import { PAST_REASONS, REPLAY_REASONS } from '#lib/api/layer-reason.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { enterReplay } from '#lib/client/page/enter-replay.ts';
import { useDisplay, useLookout, useMayLoad, usePreferences, useReplay } from '#lib/client/page/lookout-context.tsx';
import { useReplayPrice } from '#lib/client/page/use-replay-price.ts';
import { AUTO_LOAD_SHARE, isOnlyLoaded, priceParts, requestsText } from '#lib/client/replay/replay-price.ts';
import type {
  AskReason,
  ReplayLayer,
  ReplayLoading,
  ReplayPrice,
  ReplayQuote,
  ReplaySummary,
} from '#lib/client/replay/replay-summary.ts';
import { lastMinutes } from '#lib/client/replay/window-form.ts';
import { signInAddress } from '#lib/client/request/refusal-message.ts';
import { HISTORY_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { LAYERS } from '#lib/model/position.ts';
import { addMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { Button, type ButtonProps } from '../ui/button.tsx';
import { ReloadButton } from '../ui/failure.tsx';
import { type MarkedTone, ToneMark } from '../ui/tone-mark.tsx';
import { missingLeadInText, missingMinutesText, missingReceptionText, unloadedText } from './minutes.ts';

/**
 * How far a replay is loaded, in one sentence, and what the operator can do about it: load at the quoted price, try again,
 * or view the place live. Nothing here loads by itself.
 */
export function LoadingStatus() {
  const [{ zone }] = usePreferences();
  const loading = useReplay((summary) => summary?.loading);
  const layers = useReplay((summary) => summary?.layers);
  const isWaiting = useReplay((summary) => summary?.isWaiting ?? false);
  const mayLoad = useMayLoad();
  const { hasAllowance } = useLookout().server;
  if (!loading || !layers) return null;
  const { tone, sentence } = loadingText({ loading, layers, mayLoad, hasAllowance }, zone);
  return (
    <p
      role="status"
      data-testid="replay-loading"
      data-loading={loading.kind}
      title={sentence}
      className="flex min-w-0 items-center gap-2 text-table"
    >
      <ToneMark tone={tone} />
      {isWaiting && <span className="whitespace-nowrap font-semibold text-warning">Buffering ·</span>}
      <span className="line-clamp-2">{sentence}</span>
    </p>
  );
}

interface LoadingText {
  readonly tone: MarkedTone;
  readonly sentence: string;
}

interface Loaded extends Pick<ReplaySummary, 'loading' | 'layers'> {
  readonly mayLoad: boolean;
  readonly hasAllowance: boolean;
}

const ASKS: Readonly<Record<AskReason, string>> = {
  always: '',
  price: ': above the limit for loading by itself',
  allowance: `: over ${AUTO_LOAD_SHARE * 100}% of the requests left for you`,
  'allowance-unknown': ': not known yet how many requests are left for you',
  wide: '',
};

export function loadingText({ loading, layers, mayLoad, hasAllowance }: Loaded, zone: ClockZone): LoadingText {
  const on = LAYERS.map((layer) => layers[layer]).filter((layer) => layer.on);
  const sum = (of: (layer: (typeof on)[number]) => number) => on.reduce((total, layer) => total + of(layer), 0);
  const made = sum((layer) => layer.requestsMade);
  const counted = hasAllowance ? [`${requestsText(made)} made`] : [];
  switch (loading.kind) {
    case 'quoting':
      return { tone: 'neutral', sentence: 'Getting a quote' };
    case 'quoted':
      return { tone: 'neutral', sentence: `Not loaded yet${ASKS[loading.asks]}` };
    case 'queued':
      return { tone: 'neutral', sentence: queuedText(loading) };
    case 'loading': {
      const known = sum((layer) => layer.partsKnown);
      if (known === 0) return { tone: 'neutral', sentence: 'Loading' };
      const parts = `${sum((layer) => layer.partsDone)} of ${known} parts`;
      const expected = made + sum((layer) => layer.requestsExpected);
      const requests = hasAllowance ? ` · ${requestsText(made)} made of about ${expected}` : '';
      return { tone: 'neutral', sentence: `Loading ${parts}${requests}` };
    }
    case 'paused': {
      const until = loading.until === undefined ? '' : ` until ${clockText(loading.until, zone)}`;
      return {
        tone: 'warning',
        sentence: [`Waiting${until}: ${PAST_REASONS[loading.reason].past}`, ...counted].join(' · '),
      };
    }
    case 'done': {
      const missing = on.flatMap(missingTexts);
      if (missing.length === 0) return { tone: 'good', sentence: ['Complete', ...counted].join(' · ') };
      const isUnloaded = on.some(({ minutes, leadIn }) => [...minutes, ...leadIn].includes('not-requested'));
      return {
        tone: 'warning',
        sentence:
          isUnloaded && !mayLoad
            ? `${missing.join(' · ')}. Ask an operator to load this.`
            : [...missing, ...counted].join(' · '),
      };
    }
    case 'refused':
      return { tone: 'bad', sentence: loading.message };
  }
}

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' });
const ORDINAL_ENDINGS: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> = { one: 'st', two: 'nd', few: 'rd' };
const SMALL_NUMBERS = ['no', 'one', 'two', 'three', 'four'];

function queuedText({ rank, running }: Extract<ReplayLoading, { kind: 'queued' }>): string {
  const ordinal = `${rank}${ORDINAL_ENDINGS[ORDINALS.select(rank)] ?? 'th'}`;
  const loads = `${SMALL_NUMBERS[running] ?? running} of your loads ${running === 1 ? 'runs' : 'run'}`;
  return `${ordinal} in the queue: ${loads}`;
}

function missingTexts({ layer, leadIn, minutes, gaps, unreadable }: ReplayLayer): readonly string[] {
  const unloaded = unloadedText(LAYER_NAME[layer].toLowerCase(), minutes, leadIn);
  // A load adds what was not requested: only other gaps need a reason.
  const others = gaps.filter(({ reason }) => unloaded === '' || reason !== 'not_requested');
  const reasons = [...new Set(others.map(({ reason }) => REPLAY_REASONS[reason].past))];
  const why = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`;
  const missing = [missingMinutesText(minutes), missingLeadInText(leadIn)].filter((text) => text !== '').join(', ');
  const parts = [
    missing === '' ? '' : `${missing}${why}`,
    missingReceptionText(minutes, leadIn),
    unreadable === 0 ? '' : `${unreadable} ${unreadable === 1 ? 'record' : 'records'} unreadable`,
  ].filter((part) => part !== '');
  return [unloaded, parts.length === 0 ? '' : `${LAYER_NAME[layer]}: ${parts.join(', ')}`].filter(
    (text) => text !== '',
  );
}

const CENTRE_SIZE = ` (${HISTORY_MAX_SPAN_DEG}° × ${HISTORY_MAX_SPAN_DEG}°)`;
/** Text takes two lines next to another button, or on a narrow phone. */
const WRAPS =
  'h-auto! min-h-8 min-w-0 shrink! py-0.5 text-balance leading-tight whitespace-normal! dock-narrow:px-2 dock-narrow:text-table dock-narrow:leading-[15px] phone:min-h-11';

export function LoadChoices({ window }: { readonly window: Window }) {
  const { replay } = useLookout();
  const loading = useReplay((summary) => summary?.loading);
  const layers = useReplay((summary) => summary?.layers);
  if (!loading || !layers) return null;
  switch (loading.kind) {
    case 'quoted':
      return <QuotedLoads quote={loading.quote} window={window} />;
    case 'done':
      return (
        <>
          <LoadRest layers={layers} />
          <LoadViewButton window={window} />
        </>
      );
    case 'refused':
      return (
        <>
          {loading.remedy === 'sign-in' && (
            <a className="font-semibold text-focus underline" href={signInAddress()}>
              Sign in again
            </a>
          )}
          {loading.remedy === 'reload' && <ReloadButton />}
          <AgainButton label="Try again" onAgain={() => void replay.session?.quote()} />
          <ShowLiveButton />
        </>
      );
    default:
      return null;
  }
}

/** A wide area is loaded around the middle of the map, or in tiles. */
function QuotedLoads({ quote, window }: { readonly quote: ReplayQuote; readonly window: Window }) {
  const { replay } = useLookout();
  const { wide } = quote;
  const length = lengthText(window);
  if (!wide) {
    return (
      <>
        <LastMinutesButton window={window} />
        <PricedButton
          look="primary"
          action={`Load ${length}`}
          price={quote}
          onClick={() => replay.session?.load(undefined)}
        />
      </>
    );
  }
  const loadMiddle = () => replay.session?.load('middle');
  const loadTiles = () => replay.session?.load('tiles');
  return (
    <>
      {isOnlyLoaded(wide.middle) ? (
        <Button look="primary" className={WRAPS} onClick={loadMiddle}>
          Show what is loaded around the centre
        </Button>
      ) : (
        <PricedButton
          look="primary"
          action={`Load ${length} around the centre`}
          more={CENTRE_SIZE}
          price={wide.middle}
          onClick={loadMiddle}
        />
      )}
      {wide.tiles === 0 && <p className="self-center text-dim text-table">Zoom in to load the whole view.</p>}
      {wide.tiles > 0 && isOnlyLoaded(quote) && (
        <Button className={WRAPS} onClick={loadTiles}>
          {`Show what is loaded of all ${wide.tiles} tiles`}
        </Button>
      )}
      {wide.tiles > 0 && !isOnlyLoaded(quote) && (
        <PricedButton action={`Load all in ${wide.tiles} tiles`} price={quote} onClick={loadTiles} />
      )}
    </>
  );
}

interface PricedButtonProps extends Pick<ButtonProps, 'look' | 'onClick'> {
  readonly action: string;
  /** Only in the button's name where there is little room, as the limit of the price. */
  readonly more?: string;
  readonly price: ReplayPrice;
}

/** A button with its price where the service has an allowance: elsewhere requests cost nothing. */
function PricedButton({ action, more = '', price, ...rest }: PricedButtonProps) {
  const { hasAllowance } = useLookout().server;
  const { about, limit } = priceParts(price);
  return (
    <Button aria-label={`${action}${more}${hasAllowance ? ` (${about}${limit})` : ''}`} className={WRAPS} {...rest}>
      <span>
        {action}
        <span className="dock-more">{more}</span>
        {hasAllowance && (
          <>
            {` (${about}`}
            <span className="dock-limit">{limit}</span>
            {')'}
          </>
        )}
      </span>
    </Button>
  );
}

function lengthText(window: Window): string {
  const minutes = Math.max(1, Math.round(windowLengthMs(window) / MINUTE_MS));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 && `${hours} h`, rest > 0 && `${rest} min`].filter(Boolean).join(' ');
}

const LAST_MINUTES = 15;

/** An alternative to a longer recent window. */
function LastMinutesButton({ window }: { readonly window: Window }) {
  const lookout = useLookout();
  const now = lookout.feed.presumedNow();
  const isRecent = window.end > addMs(now, -LAST_MINUTES * MINUTE_MS);
  const isLonger = windowLengthMs(window) > LAST_MINUTES * MINUTE_MS;
  const last = isRecent && isLonger ? lastMinutes(LAST_MINUTES, now) : undefined;
  const quoted = useReplayPrice(last);
  if (!last || !quoted || quoted.isWide) return null;
  return (
    <PricedButton
      action={`Load the last ${LAST_MINUTES} min`}
      price={quoted.price}
      onClick={() => enterReplay(lookout, { window: last, acceptedMax: quoted.price.maxRequests })}
    />
  );
}

/** Buttons after a load that has ended with gaps. */
function LoadRest({ layers }: Pick<ReplaySummary, 'layers'>) {
  const { replay } = useLookout();
  const mayLoad = useMayLoad();
  const isOutside = LAYERS.some((layer) => layers[layer].gaps.some(({ reason }) => reason === 'outside_lookback'));
  const has = (state: 'failed' | 'not-requested') =>
    LAYERS.some((layer) => {
      const { on, leadIn, minutes } = layers[layer];
      return on && [...leadIn, ...minutes].includes(state);
    });
  const retry = () => replay.session?.retry();
  return (
    <>
      {isOutside && <ShowLiveButton />}
      {has('failed') && !isOutside && <AgainButton label="Try again" onAgain={retry} />}
      {has('not-requested') &&
        (mayLoad ? (
          <Button onClick={() => void replay.session?.quote({ asks: true })}>Load</Button>
        ) : (
          <AgainButton label="Refresh" onAgain={retry} />
        ))}
    </>
  );
}

/** Loads the whole view, where the map shows more than what is loaded. */
function LoadViewButton({ window }: { readonly window: Window }) {
  const lookout = useLookout();
  const capped = useDisplay((shown) => shown.capped);
  if (!capped) return null;
  const load = () => {
    const { cursor, speed } = lookout.replay.session?.playback ?? {};
    enterReplay(lookout, { window, cursor, speed });
  };
  return (
    <Button className={WRAPS} onClick={load}>
      Replay this view
    </Button>
  );
}

function ShowLiveButton() {
  const { replay } = useLookout();
  return (
    <Button look="primary" className={WRAPS} onClick={() => replay.leave()}>
      Show this place live
    </Button>
  );
}

function AgainButton({ label, onAgain }: { readonly label: string; readonly onAgain: () => void }) {
  return (
    <Button className={WRAPS} onClick={onAgain}>
      <RotateCcw aria-hidden size={14} />
      {label}
    </Button>
  );
}
