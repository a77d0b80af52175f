'use client';

import './answer-sheet.css';
import { Fragment } from 'react';

interface ReportRow {
  readonly cells: readonly string[];
  /** Sentences below the row, in the width of the table. */
  readonly remarks?: readonly string[];
}

export interface ReportTable {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly ReportRow[];
  /** The sentence in place of a table without rows. */
  readonly none: string;
}

interface ReportTextProps {
  readonly lines: readonly string[];
  readonly tables: readonly ReportTable[];
  readonly testId?: string;
}

/** Lines and tables, on screen and on paper. */
export function ReportText({ lines, tables, testId = 'shift-report' }: ReportTextProps) {
  return (
    <div className="answer-text" data-testid={testId}>
      {lines.length > 0 && (
        <section aria-label="Span">
          {lines.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </section>
      )}
      {tables.map(({ caption, head, rows, none }) =>
        rows.length === 0 ? (
          <p key={caption}>{none}</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways needs to be reached by keyboard.
          <table key={caption} tabIndex={0}>
            <caption>{caption}</caption>
            <thead>
              <tr>
                {head.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ cells, remarks = [] }, row) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two alarms may have the same cells.
                <Fragment key={row}>
                  <tr>
                    {cells.map((cell, index) => (
                      <td key={head[index]}>{cell}</td>
                    ))}
                  </tr>
                  {remarks.map((remark, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: two answers may have the same comment.
                    <tr key={index} className="answer-remark">
                      <td colSpan={head.length}>{remark}</td>
                    </tr>
                  ))}
                </Fragment>
              ))}
            </tbody>
          </table>
        ),
      )}
    </div>
  );
}
