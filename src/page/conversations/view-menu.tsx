/** The menu of saved views: open one, save what is shown, rename, delete. */
import { useEffect, useState } from 'preact/hooks';
import { writtenOut } from '../../model/visible-text.ts';
import { Menu } from '../shell/menu.tsx';
import { addressOf, type Place, withChanges } from '../shell/place.ts';
import { SpanText } from '../text/span-text.tsx';
import {
  forgetView,
  keepView,
  type KeptView,
  keptViews,
  NAME_CHARACTERS_MAX,
  onViewsKept,
  renameView,
} from './kept-views.ts';

export function ViewMenu({ place }: { readonly place: Place }) {
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
  return (
    <Menu label="Views">
      {views.length === 0 && <p class="aside">Filters and columns under a name, in this browser.</p>}
      <ul class="kept-views">
        {views.map((view) => (
          <ViewLine
            key={view.name}
            view={view}
            isCurrent={view === current}
            onRename={() => setRenamed(view.name)}
            onDelete={() => setViews(forgetView(view.name))}
          />
        ))}
      </ul>
      <form class="keep-view" onSubmit={onSave}>
        <input
          key={renamed ?? address}
          name="name"
          aria-label={renamed === undefined ? 'Name of this view' : `New name of ${writtenOut(renamed)}`}
          placeholder="Name of this view"
          maxLength={NAME_CHARACTERS_MAX}
          required
          defaultValue={writtenOut(renamed ?? current?.name ?? '')}
        />
        <button type="submit">{renamed === undefined ? 'Save view' : 'Rename'}</button>
      </form>
    </Menu>
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
}) {
  const button = (words: string, onClick: () => void) => (
    <button type="button" class="quiet" aria-label={`${words} ${writtenOut(name)}`} onClick={onClick}>
      {words}
    </button>
  );
  return (
    <li>
      <a href={address} aria-current={isCurrent ? 'true' : undefined}>
        <SpanText text={name} />
      </a>
      {button('Rename', onRename)}
      {button('Delete', onDelete)}
    </li>
  );
}

function nameIn({ currentTarget: form }: SubmitEvent): string | undefined {
  if (!(form instanceof HTMLFormElement)) return undefined;
  const name = new FormData(form).get('name');
  return typeof name === 'string' && name.trim() !== ''
    ? writtenOut(name.trim()).slice(0, NAME_CHARACTERS_MAX)
    : undefined;
}
