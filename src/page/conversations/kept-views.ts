/**
 * Views of the list that somebody named. They are kept in this browser; each is an address and nothing else, so that a
 * link shows others the same. Another release or a person may have written them.
 */
import { PAGE_PATHS } from '../../model/page-views.ts';

export interface KeptView {
  readonly name: string;
  readonly address: string;
}

const KEPT_AS = 'assay.views';
const PATH = PAGE_PATHS.conversations[0];
const VIEWS_MAX = 50;
export const NAME_CHARACTERS_MAX = 60;

export function keptViews(): readonly KeptView[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT_AS) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isView).slice(0, VIEWS_MAX) : [];
  } catch {
    // It is not JSON: nothing of ours.
    return [];
  }
}

/** One of the same name is replaced. The oldest goes where there are too many. */
export function keepView(view: KeptView): readonly KeptView[] {
  return keep([...keptViews().filter(({ name }) => name !== view.name), view].slice(-VIEWS_MAX));
}

export function renameView(from: string, to: string): readonly KeptView[] {
  const views = keptViews().filter(({ name }) => name !== to || name === from);
  return keep(views.map((view) => (view.name === from ? { ...view, name: to } : view)));
}

export function forgetView(name: string): readonly KeptView[] {
  return keep(keptViews().filter((view) => view.name !== name));
}

/** Another tab has changed them. */
export function onViewsKept(changed: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => (key === KEPT_AS || key === null ? changed() : undefined);
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}

function keep(views: readonly KeptView[]): readonly KeptView[] {
  if (views.length === 0) localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, JSON.stringify(views));
  return views;
}

function isView(value: unknown): value is KeptView {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('address' in value)) return false;
  const { name, address } = value;
  if (typeof name !== 'string' || name === '' || name.length > NAME_CHARACTERS_MAX) return false;
  return typeof address === 'string' && (address === PATH || address.startsWith(`${PATH}?`));
}
