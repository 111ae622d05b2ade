/**
 * Whether text, such as the result of a tool, speaks of the action that an answer says to be done: "Your order has been
 * cancelled" and `{"status": "canceled"}`, in any of the languages, since results are in English more often than
 * answers are.
 *
 * Words count by their stem. Possible actions do not count as done (`refundable`, `cancellation_policy`), and neither
 * do those said to be empty or false (`"refunds": []`, `"cancelled": false`).
 */
const ACTIONS: readonly RegExp[] = [
  'cancel|terminat|void|unsubscri|storn|annul|kündig|abgesagt|anul|résili|解約|キャンセル|取り消|退会|取消|退订|撤销|作废|注销',
  'refund|reimburs|repaid|revers|returned|credited|erstatt|rückzahl|gutgeschrieben|gutschrift|reembols|reintegr|devu[eé]l|devol|estorn|rembours|recrédit|revers|remboursement|返金|払い戻|戻り|退款|退回|退还|返还|退到|退了',
  'book|reserv|gebucht|buchung|buchen|buche(?![rsn])|réserv|予約|预订|预定|预约|订好',
  'chang|updat|modif|amend|edit|switch|swap|replac|exchang|schedul|moved|postpon|änder|aktualisier|angepass|umgebucht|verschieb|verschob|verlegt|getauscht|cambi|actualiz|reprogram|sustitu|déplac|report|remplac|mis à jour|alter|atualiz|remarc|troc|mud[ae]|変更|更新|交換|移動|更改|改签|改到|修改|更换|变更',
  'sent|send|ship|dispatch|mail|verschick|versandt|versend|gesendet|schick|env[ií]|envo[iy]|expédi|送信|送付|発送|お送り|发送|发出|寄出|补发|发货',
  'delet|remov|eras|clear|lösch|entfern|elimin|borr|supprim|effac|apag|exclu|削除|删除|移除|删掉',
  'paid|pay|charg|bezahl|abgebucht|pag|payé|支払|決済|支付|付款',
  'approv|grant|accept|genehmig|bewillig|anerkannt|aprob|aprov|approuv|承認|批准|通过',
  // Active, booked and paid imply confirmed.
  'confirm|active|booked|reserved|issued|paid|bestätig|確定|確認|确认',
  'clos|resolv|fix|solv|complet|finish|settl|behoben|gelöst|geschlossen|abgeschloss|cerrad|resuel|solucion|arregl|corr[ei]g|conclu|fechad|résolu|corrig|réglé|clôtur|terminé|完了|解決|修正|完成|修复|解决|关闭',
  'deploy|merg|push|publish|releas|install|migrat|restart|ausgeroll|veröffentlich|desplegad|déployé|デプロイ|公開|部署|发布|安装',
  'activ|enabl|unlock|unblock|frei(?:ge)?schalt|entsperr|desbloque|débloqu|有効|解除|激活|启用|解锁|开通',
  'disabl|(?<!un)lock|(?<!un)block|suspend|freez|frozen|(?<!ent)sperr|(?<!des)bloque|(?<!dé)bloqu|無効|停止|停用|冻结',
  'reset|restor|zurückgesetzt|restable|réinitial|redefin|リセット|重置',
  'creat|open|submit|filed|regist|rais|angeleg|erstell|eröffn|eingereich|cread|abiert|abri|criad|créé|ouvert|soumis|作成|登録|起票|创建|提交|登记',
  'enrol|sign(?:ed)? up|(?<!un)subscri(?!pt)|angemeldet|anmeld|melde mich|inscri|inscrí|matricul|報名|报名|入会',
  'upgrad|downgrad|extend|renew|waiv|hochgestuft|verlänger|erlassen|ampli|renov|condon|isent|surclass|prolong|renouvel|アップグレード|延長|免除|升级|延长|续|免',
  'escalat|forward|transfer|refer|assign|asign|attribu|atribu|zugewiesen|分配|割り当て|hand(?:ed|ing)? over|weitergeleit|übergeben|eskalier|traslad|deriv|encaminh|transmis|transfér|引き継|転送|转交|转接|上报',
  'add|hinzugefüg|hinterleg|añad|agreg|adicion|ajout|追加|添加|加入',
].map(
  (stems) =>
    new RegExp(
      `(?<!(?:not|non|un|never|can|free|to be|nicht|no|não|pas)[-_ ]?)(?:${stems})(?![a-zà-ÿ]{0,8}able)(?![a-zà-ÿ]{0,10}[ _-]?(?:polic|fee|deadline|window|terms|rule|allowed|possible|eligib|until|period|condition|option))(?![a-zà-ÿ_]{0,40}["']?\\s{0,4}[:=]\\s{0,4}(?:false|null|none|undefined|0(?![.\\d])|""|''|\\[\\s{0,4}\\]|\\{\\s{0,4}\\}|["']?no(?![a-zà-ÿ])))`,
      'iu',
    ),
);

/** By number, so that two texts can be compared. */
export function actionsIn(words: string): ReadonlySet<number> {
  return new Set([...ACTIONS.keys()].filter((at) => ACTIONS[at]?.test(words)));
}

/** Any of them. */
export function speaksOf(text: string, actions: ReadonlySet<number>): boolean {
  return [...actions].some((at) => ACTIONS[at]?.test(text));
}
