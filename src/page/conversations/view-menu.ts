/** The menu of saved views: open one, save what is shown, rename, delete. */
import { h, type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Menu } from '../shell/menu.ts';
import { addressOf, type Place, withChanges } from '../shell/place.ts';
import { SpanText } from '../text/span-text.ts';
import {
  forgetView,
  keepView,
  type KeptView,
  keptViews,
  NAME_CHARACTERS_MAX,
  onViewsKept,
  renameView,
} from './kept-views.ts';

export function ViewMenu({ place }: { readonly place: Place }): JSX.Element {
  const [views, setViews] = useState(keptViews);
  const [renamed, setRenamed] = useState<string | undefined>();
  useEffect(() => onViewsKept(() => setViews(keptViews())), []);
  const address = addressOf('conversations', withChanges(place.query, { verdict: undefined, step: undefined }));
  const current = views.find((view) => view.address === address);
  const onSave = (event: SubmitEvent) => {
    event.preventDefault();
    const name = nameIn(event);
    if (name === undefined) return;
    setViews(renamed === undefined ? keepView({ name, address }) : renameView(renamed, name));
    setRenamed(undefined);
  };
  return h(
    Menu,
    { label: 'Views' },
    views.length === 0 && h('p', { class: 'aside' }, 'Filters and columns under a name, in this browser.'),
    h(
      'ul',
      { class: 'kept-views' },
      ...views.map((view) =>
        h(ViewLine, {
          key: view.name,
          view,
          isCurrent: view === current,
          onRename: () => setRenamed(view.name),
          onDelete: () => setViews(forgetView(view.name)),
        }),
      ),
    ),
    h(
      'form',
      { class: 'keep-view', onSubmit: onSave },
      h('input', {
        key: renamed ?? address,
        name: 'name',
        'aria-label': renamed === undefined ? 'Name of this view' : `New name of ${renamed}`,
        placeholder: 'Name of this view',
        maxLength: NAME_CHARACTERS_MAX,
        required: true,
        defaultValue: renamed ?? current?.name ?? '',
      }),
      h('button', { type: 'submit' }, renamed === undefined ? 'Save view' : 'Rename'),
    ),
  );
}

function ViewLine({
  view: { name, address },
  isCurrent,
  onRename,
  onDelete,
}: {
  readonly view: KeptView;
  readonly isCurrent: boolean;
  readonly onRename: () => void;
  readonly onDelete: () => void;
}): JSX.Element {
  const button = (words: string, onClick: () => void) =>
    h('button', { type: 'button', class: 'quiet', 'aria-label': `${words} ${name}`, onClick }, words);
  return h(
    'li',
    null,
    h('a', { href: address, 'aria-current': isCurrent ? 'true' : undefined }, h(SpanText, { text: name })),
    button('Rename', onRename),
    button('Delete', onDelete),
  );
}

function nameIn({ currentTarget: form }: SubmitEvent): string | undefined {
  if (!(form instanceof HTMLFormElement)) return undefined;
  const name = new FormData(form).get('name');
  return typeof name === 'string' && name.trim() !== '' ? name.trim() : undefined;
}
