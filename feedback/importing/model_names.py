"""Does a text say which model wrote it?  A cheap look at the words, for the manager; nothing is refused because of it.

Only what is said of oneself counts ("I am Claude", "as an AI model made by OpenAI", "my name is Qwen"); a text about a
model ("ChatGPT is …", "I am using Claude") does not.
"""

from __future__ import annotations

import re

_MODELS = (
    r"chat-?\s?gpt|gpt[- ]?[2345o][\w.\-]*|gpt|claude|gemini|bard|llama|alpaca|vicuna|mistral|mixtral|qwen|tongyi"
    r"|deepseek|grok|open\s?assistant|command[- ]r|gemma|phi-?\d|copilot|bing\s?chat|kimi|ernie|chatglm"
    r"|glm-?\d|yi-\d+b|internlm|baichuan|stablelm|wizardlm|olmo|lamda|smollm|minimax|hunyuan|nemotron"
)
_MAKERS = (
    r"open\s?ai|anthropic|google|deepmind|meta(?:\s?ai)?|mistral(?:\s?ai)?|alibaba(?:\s?cloud)?|microsoft|deepseek|xai"
    r"|cohere|databricks|nvidia|ibm|amazon|baidu|tencent|moonshot(?:\s?ai)?|zhipu(?:\s?ai)?|hugging\s?face|lmsys"
    r"|stability\s?ai|laion|eleuther\s?ai|01\.ai|tii|ai2|allen\s?ai"
)
_KIND = (
    r"(?:(?:large|small|ai|artificial intelligence|language|chat|helpful|virtual|conversational|open|trained)[\s-]+)*"
)
_THING = r"(?:language model|llm|assistant|chat\s?bot|bot|ai|model|artificial intelligence)"
_MADE = (
    r"[\s,(]*(?:(?:that|which|who)\s+(?:was|is|has\s+been)\s+)?(?:\w+ly\s+)?"
    rf"(?:trained|made|created|developed|built|designed|provided)\s+(?:and\s+\w+\s+)?(?:by|at)\s+(?:{_MAKERS})"
)
_SAID = re.compile(
    "|".join(
        (
            # I am Claude.  My name is Qwen.  You can call me Bard.  This is ChatGPT speaking.
            rf"\bI(?:['’]m|\s+am)\s+(?:called\s+|named\s+)?(?:{_MODELS})\b(?!['’]s|\s+(?:user|fan|expert|developer))",
            rf"\bmy\s+name\s+is\s+(?:{_MODELS})\b",
            rf"\b(?:you\s+can|please)\s+call\s+me\s+(?:{_MODELS})\b",
            rf"\bthis\s+is\s+(?:{_MODELS})\s+(?:speaking|here)\b",
            # As ChatGPT, I …   As Claude I cannot …   As an AI called Qwen
            rf"(?<!such\s)\bas\s+(?:{_MODELS})\s*,?\s+I\b",
            # I am (or: as) a language model called Claude / trained by OpenAI
            rf"\b(?:I(?:['’]m|\s+am)|as)\s+(?:an?|the)\s+{_KIND}{_THING}\b[\s,]*(?:called|named|known\s+as)\s+(?:{_MODELS})\b",
            rf"\b(?:I(?:['’]m|\s+am)|as)\s+(?:an?|the)\s+{_KIND}{_THING}\b{_MADE}\b",
            # I was trained by OpenAI.  My creators at Anthropic.
            rf"\bI(?:['’]ve\s+been|\s+was|\s+have\s+been|['’]m|\s+am)\s+(?:\w+\s+)?(?:trained|made|created|developed|built)\s+by\s+(?:{_MAKERS})\b",
            rf"\bmy\s+(?:creators?|developers?|makers?)\s*,?\s+(?:at\s+|is\s+|are\s+)?(?:{_MAKERS})\b",
            # I am an OpenAI language model.  As Google's assistant, I
            rf"\b(?:I(?:['’]m|\s+am)|as)\s+(?:an?\s+|the\s+)?(?:{_MAKERS})(?:['’]s)?\s+{_KIND}{_THING}\b",
            # 我是通义千问 / 我是ChatGPT;  je suis Claude;  ich bin ChatGPT;  soy Claude
            rf"我(?:是|叫)\s*(?:通义千问|文心一言|豆包|智谱|讯飞|{_MODELS})",
            rf"\b(?:je\s+suis|ich\s+bin|(?:yo\s+)?soy|sono|eu\s+sou)\s+(?:{_MODELS})\b",
        )
    ),
    re.IGNORECASE,
)
_FIRST = re.compile(f"{_MODELS}|{_MAKERS}|通义千问|文心一言|豆包|智谱|讯飞", re.IGNORECASE)
_QUOTED = re.compile(r"^\s*>.*$|```.*?(?:```|\Z)", re.MULTILINE | re.DOTALL)


def names_model(text: str) -> bool:
    """Whether the writer of this text names itself or its maker.  Quotations and code are what others said."""
    if not _FIRST.search(text):
        return False
    return bool(_SAID.search(_QUOTED.sub(" ", text)))
