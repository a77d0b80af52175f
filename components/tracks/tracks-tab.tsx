'use client';

import { Columns3, Funnel, Search, X } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import * as z from 'zod/mini';
import { useDisplay, useIsReplaying, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import type { ViewState } from '#lib/client/page/page-map.ts';
import { useWindowState } from '#lib/client/page/use-window-state.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { SelectedList } from '../track-card/selected-list.tsx';
import { TrackCard } from '../track-card/track-card.tsx';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { onDemand } from '../ui/on-demand.tsx';
import { Popover } from '../ui/popover.tsx';
import { filterField, NO_NARROWING, narrowingSchema, narrowingTexts, unknownListedTexts } from './filter-fields.ts';
import { INITIAL_ORDER, orderSchema } from './sort-order.ts';
import { type CellSetting, shownColumns } from './track-columns.ts';
import { TrackTable } from './track-table.tsx';
import { type ReferencePoint, referencePoint, useSettledView, useTrackList } from './use-track-list.ts';

const TableOptions = onDemand('The table’s options', () =>
  import('./table-options.tsx').then((module) => module.TableOptions),
);

const FilterCells = onDemand('The filter row', () => import('./filter-cells.tsx').then((module) => module.FilterCells));

const HEIGHTS = {
  pointer: { comfortable: 28, compact: 24, head: 28, filterRow: 32, field: 82 },
  finger: { comfortable: 44, compact: 36, head: 44, filterRow: 44, field: 96 },
} as const;

interface TracksTabProps extends Omit<TrackFinderProps, 'narrow'> {
  /** Whether there is no room for both, so that the card replaces the table. */
  readonly oneAtATime: boolean;
  readonly inSheet: boolean;
}

/** The tab of tracks: the card of the selected one, and the table with its search, filters and options. */
export function TracksTab({ oneAtATime, inSheet, ...finder }: TracksTabProps) {
  const selection = useDisplay((shown) => shown.selection);
  const isPast = useDisplay(({ isPast: past }) => past);
  const isReplaying = useIsReplaying();
  const replayTab = useValue(useLookout().replay.tab);
  const listsWindow = isReplaying && replayTab === 'tracks';
  const selectedRef = selection.primary;
  const cardOpen = selectedRef !== undefined;
  return (
    <div className="flex min-h-0 flex-1 flex-col phone:overflow-y-auto low:overflow-y-auto">
      {cardOpen && (
        <div
          className={classNames(
            'flex min-h-0 flex-col phone:max-h-none phone:flex-1 low:max-h-none low:flex-1',
            listsWindow
              ? 'max-h-[50%]'
              : isPast
                ? 'max-h-[70%]'
                : selection.refs.length > 1
                  ? 'max-h-[64%]'
                  : 'max-h-[58%]',
          )}
        >
          <SelectedList />
          <TrackCard narrow={inSheet} />
        </div>
      )}
      {!(oneAtATime && cardOpen) &&
        (listsWindow ? <WindowListPlace /> : <TrackFinder narrow={oneAtATime} {...finder} />)}
    </div>
  );
}

/** The replay bar puts the tracks of its window here. */
function WindowListPlace() {
  const { listPlace } = useLookout().replay;
  const [place] = useState(() => (element: HTMLElement | null) => listPlace.set(element ?? undefined));
  return <div ref={place} className="min-h-0 flex-1 overflow-y-auto px-4 pb-2 phone:min-h-fit low:min-h-fit" />;
}

interface TrackFinderProps {
  readonly narrow: boolean;
  readonly isWanted: boolean;
  readonly onReached: () => void;
}

function TrackFinder({ narrow, isWanted, onReached }: TrackFinderProps) {
  const [narrowing, setNarrowing] = useWindowState('track-narrowing', narrowingSchema, NO_NARROWING);
  const [order, setOrder] = useWindowState('track-order', orderSchema, INITIAL_ORDER);
  const [hasFilterRow, setHasFilterRow] = useWindowState('track-filter-row', z.boolean(), false);
  const [problem, setProblem] = useState<string>();
  const problemId = useId();
  const [{ units, zone, tableColumns, tableDensity, emergenciesFirst }, change] = usePreferences();
  const shownUnknown = useDisplay(({ filtered }) => filtered.filter.unknown);
  const view = useSettledView();
  const point = useReferencePoint(view);
  const list = useTrackList(narrowing, order, view, point.at);
  const heights = HEIGHTS[narrow ? 'finger' : 'pointer'];
  const setting = useMemo<CellSetting>(() => ({ units, zone, from: point.at }), [units, zone, point.at]);
  const columns = useMemo(
    () =>
      shownColumns(tableColumns, { units, zone, point: point.name }).map((column) => ({
        ...column,
        // No header is narrower than it is high, for touch.
        widthPx: Math.max(
          column.widthPx,
          hasFilterRow && filterField(column.name).is !== 'by-age' ? heights.field : heights.head,
        ),
      })),
    [tableColumns, units, zone, point.name, hasFilterRow, heights],
  );
  const isOfPoint = columns.some(({ name }) => name === 'distance' || name === 'bearing');
  const narrowedBy = narrowingTexts(narrowing, units);

  return (
    <>
      <div className="flex gap-2 px-4 pt-3 pb-2">
        <div className="relative min-w-0 flex-1">
          <Search aria-hidden size={14} className="absolute top-1/2 left-2.5 -translate-y-1/2 text-dim" />
          <input
            type="search"
            aria-label="Find a reference"
            placeholder="Find a reference"
            value={narrowing.text}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target: { value } }) => setNarrowing((before) => ({ ...before, text: value }))}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return;
              event.preventDefault();
              if (narrowing.text === '') event.currentTarget.blur();
              else setNarrowing((before) => ({ ...before, text: '' }));
            }}
            className="h-8 w-full rounded-control border border-edge bg-background pr-2 pl-8 text-body placeholder:text-dim phone:h-11"
          />
        </div>
        <Button
          aria-pressed={narrowing.inViewOnly}
          onClick={() => setNarrowing((before) => ({ ...before, inViewOnly: !before.inViewOnly }))}
        >
          In view
        </Button>
        <Button
          shape="icon"
          aria-label="Filter row"
          title="A filter below each header"
          aria-pressed={hasFilterRow}
          onClick={() => {
            setHasFilterRow(!hasFilterRow);
            setProblem(undefined);
          }}
        >
          <Funnel aria-hidden size={15} />
        </Button>
        <Popover
          label="Columns, sorting and rows"
          side={narrow ? 'top' : 'bottom'}
          align="end"
          trigger={
            <Button shape="icon" aria-label="Columns, sorting and rows" title="Columns, sorting and rows">
              <Columns3 aria-hidden size={15} />
            </Button>
          }
        >
          <TableOptions order={order} onOrder={setOrder} point={point.name} />
        </Popover>
      </div>
      <div className="flex min-h-6 items-center gap-3 px-4 pb-1 text-caption text-dim">
        <Button
          shape="small-text"
          look="quiet"
          aria-pressed={emergenciesFirst}
          className="-ml-2"
          onClick={() => change({ emergenciesFirst: !emergenciesFirst })}
        >
          Emergencies first
        </Button>
      </div>
      {!narrowing.inViewOnly && (
        <p data-testid="table-everywhere" className="px-4 pb-1 text-caption">
          All tracks received, also outside the view.
        </p>
      )}
      {narrowedBy.length > 0 && (
        <div data-testid="table-only" className="flex items-center gap-3 px-4 pb-1 text-caption">
          <p>
            {/* Stays while the map shows more tracks than the table. */}
            Table only: {groupedNumber(list.listed)} of {groupedNumber(list.drawn)} rows · {narrowedBy.join(' · ')}
            {unknownListedTexts(list.unknown, shownUnknown).map((text) => (
              <span key={text} className="block text-dim">
                {text}
              </span>
            ))}
          </p>
          <button
            type="button"
            className="ml-auto inline-flex shrink-0 items-center gap-1 self-start font-medium underline phone:h-11"
            onClick={() => setNarrowing(({ inViewOnly }) => ({ ...NO_NARROWING, inViewOnly }))}
          >
            <X aria-hidden size={11} />
            Show all
          </button>
        </div>
      )}
      {isOfPoint && <p className="px-4 pb-1 text-caption text-dim">Distance and bearing from {point.name}</p>}
      {problem !== undefined && (
        <p id={problemId} role="alert" className="px-4 pb-1 text-bad text-caption">
          {problem}
        </p>
      )}
      {list.listed === 0 && (
        <div className="flex flex-wrap items-center gap-3 px-4 py-3 text-dim">
          <p>{list.drawn > 0 ? 'No track in view matches.' : <NothingInView />}</p>
          {list.elsewhere > 0 && (
            <Button onClick={() => setNarrowing((before) => ({ ...before, inViewOnly: false }))}>
              List {groupedNumber(list.elsewhere)} outside the view
            </Button>
          )}
        </div>
      )}
      <TrackTable
        list={list}
        columns={columns}
        setting={setting}
        order={order}
        onOrder={setOrder}
        rowHeightPx={heights[tableDensity]}
        headHeightPx={heights.head}
        filterRow={
          hasFilterRow && (
            <tr aria-rowindex={2} className="bg-surface" style={{ height: heights.filterRow }}>
              <FilterCells
                columns={columns}
                units={units}
                heightPx={heights.filterRow}
                narrowing={narrowing}
                onNarrowing={setNarrowing}
                onProblem={setProblem}
              />
            </tr>
          )
        }
        filterRowHeightPx={hasFilterRow ? heights.filterRow : 0}
        isWanted={isWanted}
        onReached={onReached}
      />
    </>
  );
}

function NothingInView() {
  const isPast = useDisplay((shown) => shown.isPast);
  const isAnyHidden = useDisplay(({ filtered }) => filtered.received > 0);
  if (isAnyHidden) return 'The filter hides every track in view.';
  return isPast ? 'No loaded track in view.' : 'No received track in view.';
}

/** The origin of distances; the same object until it moves. */
function useReferencePoint(view: ViewState): ReferencePoint {
  const { markedPlace, measuring } = useLookout();
  const marked = useValue(markedPlace);
  const { ringCentres } = useValue(measuring.reading);
  const { at, name } = referencePoint(marked, ringCentres, view);
  return useMemo(() => ({ at: { lon: at.lon, lat: at.lat }, name }), [at.lon, at.lat, name]);
}
