/** Portuguese, of Brazil and of Portugal. */
import type { Phrases } from './phrases.ts';

const DONE =
  '(?:reservad|reembolsad|devolvid|cancelad|anulad|enviad|agendad|reagendad|remarcad|alterad|modificad|atualizad|eliminad|apagad|excluíd|removid|adicionad|criad|pag|creditad|processad|pedid|substituíd|ativad|desativad|redefinid|aprovad|fechad|abert|registrad|renovad|corrigid|resolvid|mesclad|implantad|publicad|instalad|reiniciad|migrad|guardad|salv|convidad|concluíd|confirmad|transferid|feit)[oa]s?';
const DID =
  '(?:reservei|reembolsei|devolvi|cancelei|anulei|enviei|mandei|agendei|reagendei|remarquei|alterei|mudei|modifiquei|atualizei|eliminei|apaguei|excluí|removi|adicionei|criei|paguei|processei|pedi|ativei|desativei|redefini|fechei|abri|registrei|renovei|corrigi|resolvi|publiquei|instalei|reiniciei|salvei|confirmei|convidei|subi|troquei|substituí)';

export const PORTUGUESE: Phrases = {
  words: `
    o os as um uma uns umas e ou mas não sim se de do da dos das em no na nos nas ao à por pelo pela para com sem é são era foi ser
    está estão tem há eu você vocês ele ela nós me meu minha seu sua seus suas lhe isso isto esse essa este esta aqui que qual quais
    quando onde como quem porque mais muito já ainda também só pode posso podem poderia quer favor obrigado obrigada desculpe
    infelizmente feito pronto nada ajudar algo algum nenhum outra outro até sobre agora olá certo sinto vou ter por a data conta
    segunda terça quarta quinta sexta sábado domingo janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro pedido chega nosso nossa`,
  apology: [
    '(?:me )?desculp(?:e|a|as|em)(?: (?:pelo|pelos|pela) (?:transtorno|transtornos|inconveniente|incômodo))?',
    '(?:sinto|sentimos|lamento|lamentamos)(?: muito)?',
    'infelizmente',
    'peço desculpas?',
    'perdão',
    'pelo transtorno',
  ],
  refusal: [
    'nunca \\p{L}{2,20}(?:amos|emos|imos)',
    'não (?:lhe |o |a )?(?:posso|podemos|consigo|conseguimos|tenho permissão|tenho autorização|estou autorizad[oa]|me é permitido) (?!encontrar|localizar|acessar|aceder|ver )…',
    'não (?:é|me é) possível (?:atender|ajudar|realizar|processar)…',
    '(?:como|sou) (?:um[a]? )?(?:modelo|ia|inteligência artificial|assistente virtual)…',
    'fora do (?:meu|nosso)…',
    'não (?:execut|faz|compartilh|realiz|fornec|divulg|inform)(?:o|amos|emos)…',
    'não (?:posso|podemos|consigo) fazer',
  ],
  filler: [
    'ajud(?:ar|á-l[oa])(?:-l[oa])?(?: (?:você|vocês))?(?: (?:com|nisso|nisto))?(?: (?:isso|isto|a sua solicitação))?',
    'com (?:isso|isto)',
    '(?:atender|processar|concluir|realizar|responder)(?: à| a| ao)?(?: (?:sua|seu|esta|essa))? (?:solicitação|pedido|pergunta|consulta)',
    'no momento',
    'neste momento',
    '(?:por favor,? )?(?:tente|tenta)(?: novamente| de novo| outra vez)?(?: mais tarde)?',
    'mais tarde',
    'fazer (?:isso|isto)',
    'de linguagem',
    '(?:visite|consulte) (?:nossa|nosso|a|o)[^.!?]{0,30}',
    'obrigad[oa] pela compreensão',
    'por favor',
    'é possível',
  ],
  failure: [
    'algo (?:deu|correu|saiu) (?:errado|mal)',
    '(?:ocorreu|houve|aconteceu)(?: um)?(?: erro| problema)(?: inesperado| interno| técnico)?',
    'não (?:funcionou|deu certo)',
  ],
  trouble: [
    'não (?:consegui|conseguimos|pude|pudemos|foi possível|é possível|encontrei|encontramos|localizei|existe|funciona|funcionou|reservei|fiz|cancelei|enviei|está disponível|há|posso|podemos|consigo)…',
    '(?:falhando|falhou|falharam|falham|falha|recusou|recusado|recusada|rejeitou|rejeitado|sem sucesso|indisponível)',
    '(?:continua|segue)m? (?:ativ|abert|falhando|sem)…',
    'tentei',
    '(?:problema|erro) (?:com|ao)',
    'não (?:respondeu|responde|foi (?:feit|realizad|concluíd))…',
    'nada (?:reservado|feito|cancelado|enviado)',
    'não (?:está|estão|estava)…',
  ],
  untroubled: [],
  conditional: [],
  passing: [],
  overcome: [],
  substance: [
    'porque',
    'pois',
    'devido a',
    'no entanto',
    'porém',
    'em vez disso',
    'então',
    'por isso',
    'você pode',
    'poderia',
    'posso (?:pedir|oferecer|ligar|procurar|propor)…',
    'quer',
    'colega',
    'atendente',
    '(?:em|dentro de) (?:uma?|dois|duas|três|cinco|dez|quinze|trinta) (?:minutos?|horas?|dias?)',
    '(?:amanhã|hoje|segunda|terça|quarta|quinta|sexta|sábado|domingo)',
  ],
  request: [
    '(?:por favor,? )?(?:informe|envie|indique|diga|confirme|forneça|escolha|mande)(?:-me| o| a| os| as| me| seu| sua| qual)…',
    '(?:preciso|precisamos) (?:do|da|de|que|saber)…',
    'me (?:informe|diga|envie|confirme)…',
  ],
  courtesy: ['(?:em )?(?:mais )?(?:alguma coisa|algo mais)', 'mais alguma', 'outra dúvida', 'como posso…'],
  nextStep: [
    'por favor',
    '(?:você )?(?:pode|poderia|deve|deverá|receberá|vai receber)',
    'se (?:quiser|preferir|precisar|desejar)',
    '(?:posso|podemos|vou|vamos)',
    'quer',
    'tente',
    'confira',
    'entre em contato',
    'em vez disso',
    'alternativ…',
    'outra opção',
    'avis…',
  ],
  handOver: [
    '(?:vou |estou )?(?:transferir|transferindo|passar|passando|encaminhar|encaminhando|conectar) (?:você|o senhor|a senhora|para)…',
    'transferi-l[oa]…',
  ],
  ownClaim: [`(?:já )?(?:lhe |o |a )?${DID}`, `(?:tenho|temos) ${DONE}`],
  doneClaim: [
    `(?:foi|foram)(?: já)? ${DONE}`,
    `(?:está|estão|ficou|ficaram)(?: já)? (?!abert|fechad|feit)${DONE}`,
    '(?:reembolso|pagamento|dinheiro|convite|estorno)[^.!?]{0,40} a caminho',
    '^ ?(?:pronto|feito)',
  ],
  unclaimed: [
    'não',
    'nada',
    'nunca',
    'se',
    'quando',
    'assim que',
    'até(?! (?:as |às )?\\d)',
    'antes',
    'depois',
    'tentei',
    'poderia',
    'sem',
    'será',
  ],
  assent: [
    '(?:sim|claro|ok|okay|certo|perfeito|pode|confirmo|concordo|exato|isso mesmo|prossiga|vai em frente|faça|combinado|ótimo|beleza)',
    'por favor',
    '(?:quero|queria|gostaria)',
  ],
  dissent: ['^ ?não', 'ainda não', 'espere', 'espera', 'melhor não', 'em vez disso'],
};
