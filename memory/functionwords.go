package memory

// functionWordLists are the function words of each language: articles,
// pronouns, prepositions, conjunctions, auxiliary verbs and question words.
var functionWordLists = map[string]string{
	English: `a an the is are was were be been being am do does did done doing has have had having
of in on at to for from by with about into onto as and or but if so than then too very just also
i me my mine myself we us our ours you your yours he him his she her hers it its they them their theirs
this that these those there here what which who whom whose when where why how
can could should would will shall may might must not no nor only own same such
both each few more most other some any all once again further because while until
during before after above below between through against up down out off over under
s t d m ll re ve don didn doesn isn wasn weren aren wouldn couldn shouldn haven hasn hadn won`,
	German: `der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner
ich du er sie es wir ihr mich mir dich dir ihn ihm uns euch ihnen mein meine meinen dein sein seine seinen seiner seinem ihre ihren ihrer ihrem unser unsere unseren
und oder aber denn sondern doch als wie wenn weil dass ob damit sodass bis während obwohl bevor nachdem
in im an am auf aus bei beim mit nach von vom zu zum zur für über unter vor hinter neben zwischen durch gegen ohne um seit ab
ist sind war waren bin bist sein gewesen wird werden wurde wurden worden hat haben hatte hatten habe hast
kann können konnte muss müssen musste soll sollen sollte darf dürfen will wollen wollte möchte mag
nicht nur auch noch schon sehr so dann da hier dort nun jetzt immer wieder mehr man sich selbst
was wer wen wem wessen welche welcher welches welchen welchem wann wo warum wieso weshalb wohin woher wozu wieviel
dieser diese dieses diesen diesem jener jene jedes jede jeder jeden alle allen aller alles viel viele vielen etwas nichts
falls sonst außer dafür dabei dazu davon daran darauf dagegen deshalb also etwa bitte`,
	Spanish: `el la los las lo un una unos unas al del
yo tú él ella ellos ellas nosotros usted ustedes me te se nos os le les mi mis tu tus su sus nuestro nuestra nuestros nuestras
y e o u pero sino que porque si cuando como aunque mientras pues
a ante bajo con contra de desde durante en entre hacia hasta para por según sin sobre tras
es son era eran fue fueron ser soy eres somos está están estaba estaban estar sido siendo
ha han había habían haber he hemos hay hubo tiene tienen tenía tener
puede pueden podía poder debe deben debía hace hacen hacer
no ni sí ya más menos muy también solo sólo tan tanto siempre nunca ahora aquí allí así luego
qué quién quiénes cuál cuáles cuándo cuánto cuánta cuántos cuántas dónde cómo
quien quienes cual cuales cuanto cuantos donde
este esta estos estas ese esa esos esas aquel aquella esto eso aquello otro otra otros otras todo toda todos todas cada algo alguien alguno alguna algunos algunas nada nadie ninguno ninguna mismo misma`,
	French: `le la les l un une des du de d au aux
je tu il elle on nous vous ils elles me te se moi toi lui leur leurs mon ma mes ton ta tes son sa ses notre nos votre vos
et ou mais donc or ni car que qui quoi dont où si quand comme lorsque puisque parce
à dans par pour en vers avec sans sous sur chez entre depuis pendant avant après contre
est sont était étaient être été suis es sommes êtes fut sera seront
a ont avait avaient avoir ai as avons avez eu
peut peuvent pouvait doit doivent faut fait faire font veut
ne pas plus moins très aussi déjà encore toujours jamais ici là ainsi alors puis
quel quelle quels quelles combien comment pourquoi
ce cet cette ces c ça cela ceci celui celle ceux tout toute tous toutes chaque autre autres même mêmes quelque quelques rien personne aucun aucune
j n s t m qu`,
	Italian: `il lo la i gli le un uno una del dello della dei degli delle al allo alla ai agli alle dal dalla dai dalle nel nello nella nei nelle sul sulla sui sulle
io tu lui lei noi voi loro mi ti si ci vi me te mio mia miei mie tuo tua suo sua suoi sue nostro nostra vostro
e ed o ma però che perché se quando come mentre anche
a di da in con su per tra fra senza sotto sopra verso dopo prima
è sono era erano essere stato stata stati sei siamo fu
ha hanno aveva avevano avere ho hai abbiamo
può possono deve devono fa fare
non più meno molto già ancora sempre mai qui così poi solo
cosa chi quale quali quanto quanta quanti quante dove
questo questa questi queste quello quella quelli quelle altro altra altri altre tutto tutta tutti tutte ogni qualche niente nessuno stesso stessa
l d c un dell all dall nell sull`,
	Portuguese: `o a os as um uma uns umas do da dos das no na nos nas ao à aos às pelo pela pelos pelas num numa
eu tu ele ela nós vós eles elas você vocês me te se lhe lhes meu minha meus minhas teu tua seu sua seus suas nosso nossa
e ou mas que porque se quando como embora enquanto pois
a ante até com contra de desde em entre para por sem sob sobre após
é são era eram foi foram ser sou somos está estão estava estavam estar sido
há tem têm tinha ter tenho temos houve
pode podem podia deve devem faz fazem fazer
não nem sim já mais menos muito também só tão sempre nunca agora aqui ali assim depois
quem qual quais quanto quanta quantos quantas onde quê
este esta estes estas esse essa esses essas isto isso aquilo aquele aquela outro outra outros outras todo toda todos todas cada algo alguém algum alguma nada ninguém nenhum nenhuma mesmo mesma`,
	Dutch: `de het een der des
ik jij je hij zij ze wij we jullie u mij me hem haar ons hun mijn jouw zijn onze
en of maar want dat als wanneer omdat terwijl hoewel toen
in op aan bij met van voor naar uit over onder tussen door tegen zonder om tot sinds
is was waren ben bent zijn geweest wordt worden werd werden heeft hebben had hadden heb
kan kunnen kon moet moeten moest mag mogen wil willen zal zullen zou
niet geen ook nog al heel zo dan daar hier nu altijd nooit weer meer
wat wie welke welk waar waarom hoe hoeveel waarmee
dit deze die er elk elke alle alles iets niets veel andere zelf`,
}
