/** The look of a table on a page. */
export const TABLE =
  'w-full text-left text-table tabular-nums [&_:is(th,td)]:py-1 [&_:is(th,td)]:pr-3 [&_tbody_tr]:border-line [&_tbody_tr]:border-t [&_th]:font-medium [&_tbody_th]:whitespace-nowrap [&_tbody_th]:font-normal [&_thead]:text-dim';
