import { measureMarks } from './measure-marks.ts';

const GOAL_UPDATE_MS = 8;
const GOAL_LONGEST_TASK_MS = 50;

/** 20,000 moving marks in the real page: what one update costs its main thread, beside 1000 marks in the same run. */
export async function marks(): Promise<object> {
  const many = await measureMarks(20_000, 'closed');
  const withPanel = await measureMarks(20_000, 'open');
  const few = await measureMarks(1000, 'closed');
  return {
    what: 'real page, service and app over loopback, all marks move in every answer, 1280×800, software WebGL',
    goal: { update_ms: GOAL_UPDATE_MS, longest_task_ms: GOAL_LONGEST_TASK_MS },
    reached: {
      update_ms: many.update_ms.median <= GOAL_UPDATE_MS,
      longest_task_ms: many.longest_task_ms <= GOAL_LONGEST_TASK_MS,
      longest_task_ms_panel_open: withPanel.longest_task_ms <= GOAL_LONGEST_TASK_MS,
    },
    ratio_20000_to_1000: Math.round((many.update_ms.median / few.update_ms.median) * 10) / 10,
    runs: [many, withPanel, few],
  };
}
