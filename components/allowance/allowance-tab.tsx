'use client';

import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { useDisplay, useLayersOn, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import type { AllowanceStatus, RefreshedArea } from '#lib/client/status/status-query.ts';
import { useStatus } from '#lib/client/status/status-query.ts';
import { type Bbox, bboxesOverlap, formatBbox } from '#lib/geo/bbox.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { LayerIcon } from '../layers/layer-chip.tsx';
import { classNames } from '../ui/class-names.ts';
import { ToneMark } from '../ui/tone-mark.tsx';
import { type AllowanceText, allowanceText, paceText, reportedAtText, statusFailureMessage } from './allowance-text.ts';
import { areaText, boxText } from './area-text.ts';
import { WhyNoRequests } from './why-no-requests.tsx';

/** The allowance of requests: what is left, why no requests are sent, and what the planned areas take of it. */
export function AllowanceTab({ onShown }: { readonly onShown: () => void }) {
  const { status, failure } = useStatus(true);
  const { now } = useDisplay();
  const [{ zone }] = usePreferences();
  const reportedAt = status && reportedAtText(status.asOf, now, zone);

  return (
    <div data-testid="allowance">
      <div role="status" className="sticky top-0 z-10 border-line border-b bg-surface px-4 py-3 empty:hidden">
        {failure && (
          <p data-testid="status-failure" className="flex items-baseline gap-2">
            <ToneMark tone="bad" />
            <span>
              {statusFailureMessage(failure, zone)}. {status ? 'The last report is shown below.' : 'No report yet.'}
            </span>
          </p>
        )}
        {!status && !failure && <p className="text-dim">Loading the allowance…</p>}
      </div>
      {status && (
        <>
          <div className="flex flex-col gap-4 border-line border-b p-4">
            {reportedAt !== undefined && <p className="text-dim">{reportedAt}</p>}
            <WhyNoRequests status={status} now={now} zone={zone} />
            {status.hasAllowance ? (
              <Allowance status={status} now={now} zone={zone} />
            ) : (
              <p data-testid="no-allowance">No allowance: Lookout’s own service does not count requests.</p>
            )}
          </div>
          {status.servers && <ServerList {...status.servers} />}
          <AreaList status={status} onShown={onShown} />
        </>
      )}
    </div>
  );
}

interface AllowanceProps {
  readonly status: AllowanceStatus;
  readonly now: UpstreamInstant | undefined;
  readonly zone: ClockZone;
}

function Allowance({ status, now, zone }: AllowanceProps) {
  const isUnknown = status.minute.remaining === undefined && status.day.remaining === undefined;
  return (
    <>
      <AllowanceMeter label="This minute" testId="allowance-minute" text={allowanceText(status.minute, now, zone)} />
      <AllowanceMeter label="Today" testId="allowance-day" text={allowanceText(status.day, now, zone)} />
      {isUnknown && (
        <p className="text-dim">The service reports what is left with its answers; it has not done so yet.</p>
      )}
      <dl className="flex flex-col gap-1">
        <Figure label="Pace until midnight UTC" testId="allowance-pace" value={paceText(status.pacePerMinute)} />
        <Figure
          label={status.servers ? 'Spent today by all servers' : 'Spent today by this server'}
          testId="allowance-spent"
          value={`${groupedNumber(status.spentToday)} ${status.spentToday === 1 ? 'request' : 'requests'}`}
        />
      </dl>
      <p className="text-caption text-dim">
        Every operator and every key of the account spends from the same allowance.
      </p>
    </>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: string;
  readonly testId: string;
}

function Figure({ label, value, testId }: FigureProps) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className="text-dim">{label}</dt>
      <dd data-testid={testId} className="text-right font-semibold">
        {value}
      </dd>
    </div>
  );
}

function ServerList({ writer, all }: NonNullable<AllowanceStatus['servers']>) {
  return (
    <section aria-labelledby="servers" data-testid="servers" className="border-line border-b p-4">
      <h2 id="servers" className="pb-2 font-semibold">
        Servers
      </h2>
      <ul className="flex flex-col gap-1">
        {all.map(({ name }) => (
          <li key={name} className="flex items-baseline justify-between gap-4">
            <span className="min-w-0 break-words">{name}</span>
            {name === writer && <span className="whitespace-nowrap text-dim">sends all requests</span>}
          </li>
        ))}
      </ul>
      {writer === null && <p className="text-warning">No server sends requests at present.</p>}
    </section>
  );
}

interface AllowanceMeterProps {
  readonly label: string;
  readonly text: AllowanceText;
  readonly testId: string;
}

function AllowanceMeter({ label, text, testId }: AllowanceMeterProps) {
  const { tone, left, leftFraction, reserved, reset } = text;
  return (
    <section aria-label={label} data-testid={testId} className="relative flex flex-col gap-1">
      <div className="flex items-baseline justify-between gap-4">
        <h2 className="text-dim">{label}</h2>
        <p className="flex items-baseline gap-1.5 text-right font-semibold">
          {tone === 'warning' && <ToneMark tone={tone} />}
          <span data-testid={`${testId}-left`}>{left}</span>
        </p>
      </div>
      {leftFraction !== undefined && (
        <>
          <meter className="sr-only" aria-label={label} value={leftFraction} aria-valuetext={left} />
          <div aria-hidden className="h-2 overflow-hidden rounded-full border border-edge bg-background">
            <div
              className={classNames(
                'h-full forced-color-adjust-none forced-colors:bg-[CanvasText]',
                tone === 'warning' ? 'bg-warning' : 'bg-dim',
              )}
              style={{ width: `${leftFraction * 100}%` }}
            />
          </div>
        </>
      )}
      {reserved !== undefined && <p className="text-caption text-dim">{reserved}</p>}
      <p className="text-caption text-dim">{reset}</p>
    </section>
  );
}

interface AreaListProps {
  readonly status: AllowanceStatus;
  readonly onShown: () => void;
}

function AreaList({ status: { areas, viewers, hasAllowance }, onShown }: AreaListProps) {
  const { mapCommands } = useLookout();
  const { covered, now } = useDisplay();
  const [layersOn] = useLayersOn();
  const [{ zone }] = usePreferences();
  return (
    <section aria-labelledby="planned-areas">
      <div className="flex items-baseline justify-between gap-4 px-4 pt-3 pb-2">
        <h2 id="planned-areas" className="font-semibold">
          Planned areas
        </h2>
        <p data-testid="areas-and-viewers" className="text-dim text-table">
          {groupedNumber(areas.length)} {areas.length === 1 ? 'area' : 'areas'} · {groupedNumber(viewers)}{' '}
          {viewers === 1 ? 'viewer' : 'viewers'}
        </p>
      </div>
      {areas.length === 0 ? (
        <p className="px-4 pb-3 text-dim">No area is planned, so no requests are sent to the service.</p>
      ) : (
        <>
          <p className="px-4 pb-3 text-caption text-dim">
            {hasAllowance &&
              'Areas with more viewers are refreshed more often, areas that take more requests per refresh less often, so that the day’s allowance lasts until midnight UTC. '}
            Areas that no viewer or zone needs are not refreshed.
          </p>
          <ul className="border-line border-b">
            {plannedAreas(areas, covered, layersOn).map((item) => (
              <AreaRow
                key={item.key}
                item={item}
                now={now}
                zone={zone}
                onShow={() => {
                  mapCommands.run({ kind: 'show-box', bbox: item.area.bbox });
                  onShown();
                }}
              />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

interface AreaRowProps {
  readonly item: PlannedAreaItem;
  readonly now: UpstreamInstant | undefined;
  readonly zone: ClockZone;
  readonly onShow: () => void;
}

/** The whole row can be clicked. Screen readers announce its place as the button. */
function AreaRow({ item: { area, isThisView }, now, zone, onShow }: AreaRowProps) {
  const { effort, freshness, trouble } = areaText(area, now, zone);
  return (
    <li
      data-testid={`area-${area.layer}`}
      className="relative flex flex-col gap-0.5 border-line border-t px-4 py-2 hover:bg-raised phone:py-3"
    >
      <div className="flex items-center gap-2">
        <span className="text-dim">
          <LayerIcon layer={area.layer} />
          <span className="sr-only">{LAYER_NAME[area.layer]}</span>
        </span>
        <button
          type="button"
          onClick={onShow}
          title="Show on the map"
          className="text-left font-mono font-semibold text-table after:absolute after:inset-0"
        >
          {boxText(area.bbox)}
          <span className="sr-only">: show on the map</span>
        </button>
        {isThisView && (
          <span className="ml-auto shrink-0 rounded-[4px] border border-edge px-1 text-caption text-dim">
            this view
          </span>
        )}
      </div>
      <p className="pl-[22px] text-dim text-table">{effort}</p>
      <p className="pl-[22px] text-dim text-table">{freshness}</p>
      {trouble !== undefined && (
        <p className="flex items-baseline gap-3 text-table">
          <ToneMark tone="warning" />
          {trouble}
        </p>
      )}
    </li>
  );
}

interface PlannedAreaItem {
  readonly key: string;
  readonly area: RefreshedArea;
  readonly isThisView: boolean;
}

/**
 * The planned areas: this view's first, then by viewers, in a stable order.
 * @param covered the answered part of this operator's view
 */
export function plannedAreas(
  areas: readonly RefreshedArea[],
  covered: readonly Bbox[],
  layersOn: ReadonlySet<Layer>,
): readonly PlannedAreaItem[] {
  return areas
    .map((area) => ({
      key: `${area.layer} ${formatBbox(area.bbox)}`,
      area,
      isThisView: layersOn.has(area.layer) && covered.some((part) => bboxesOverlap(part, area.bbox)),
    }))
    .sort(
      (one, other) =>
        Number(other.isThisView) - Number(one.isThisView) ||
        other.area.viewers - one.area.viewers ||
        (one.key < other.key ? -1 : 1),
    );
}
