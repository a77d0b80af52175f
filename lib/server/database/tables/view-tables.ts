import 'server-only';
import type { MakesTables } from './table-form.ts';

/** `owner` is an operator's id, and '' without sign-in. */
export interface ViewTables {
  readonly view: {
    readonly id: string;
    readonly owner: string;
    readonly name: string;
    readonly query: string;
    readonly shared: 0 | 1;
    readonly owner_name: string;
  };
  readonly start_view: { readonly owner: string; readonly view_id: string };
  readonly overlay: {
    readonly id: string;
    readonly owner: string;
    readonly name: string;
    readonly shared: 0 | 1;
    readonly owner_name: string;
    readonly packed: string;
  };
}

export const makesViewTables: MakesTables = ({ text, integer, end }) => [
  `create table view (
    id ${text} primary key,
    owner ${text} not null,
    name ${text} not null,
    query ${text} not null,
    shared ${integer} not null,
    owner_name ${text} not null
  ) ${end}`,
  'create unique index view_owner on view (owner, name)',
  `create table start_view (
    owner ${text} primary key,
    view_id ${text} not null references view (id) on delete cascade
  ) ${end}`,
  'create index start_view_view on start_view (view_id)',
  `create table overlay (
    id ${text} primary key,
    owner ${text} not null,
    name ${text} not null,
    shared ${integer} not null,
    owner_name ${text} not null,
    packed ${text} not null
  ) ${end}`,
  'create unique index overlay_owner on overlay (owner, name)',
];
