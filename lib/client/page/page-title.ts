/** The title of the tab: what the page is, after the number of new alarms. It alone writes the document's title. */
let page: string | undefined;
let newAlarms = 0;

export function titlePage(title: string): void {
  page = title;
  write();
}

export function titleNewAlarms(count: number): void {
  newAlarms = count;
  write();
}

function write(): void {
  // The server wrote that of the page.
  page ??= document.title;
  document.title = newAlarms === 0 ? page : `(${newAlarms}) ${page}`;
}
