/** Brings into sight what somebody asked to see. */
import { useLayoutEffect } from 'preact/hooks';
import type { Look } from './evidence.ts';

export function anchorOf({ turn, step }: Look): string {
  return step === undefined ? `turn ${turn}` : `step ${step}`;
}

export function verdictAnchor(key: string): string {
  return `verdict ${key}`;
}

/**
 * Scrolls to the elements of these ids after each change of `asked`, the last one last: where one frame holds both, it
 * is the one that stays in sight. An element that is in sight already does not move.
 */
export function useInSight(anchors: readonly string[], asked: unknown): void {
  useLayoutEffect(() => {
    for (const anchor of anchors) {
      const element = document.getElementById(anchor);
      if (element !== null && !isInSight(element))
        element.scrollIntoView({ block: element.tagName === 'LI' ? 'start' : 'center' });
    }
  }, [asked]);
}

function isInSight(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  for (let frame = element.parentElement; frame !== null; frame = frame.parentElement) {
    const { overflowY } = getComputedStyle(frame);
    if (overflowY !== 'auto' && overflowY !== 'scroll') continue;
    const edges = frame.getBoundingClientRect();
    if (top < edges.top || bottom > edges.bottom) return false;
  }
  return true;
}
