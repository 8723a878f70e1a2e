"""A report in DART's XML as companies file it, and the page that DART's viewer saves of it; all of it is made up."""

REPORT = """<?xml version="1.0" encoding="utf-8"?>

<DOCUMENT xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="dart4.xsd">
<DOCUMENT-NAME ACODE="11011">사업보고서</DOCUMENT-NAME>
<FORMULA-VERSION ADATE="20221027">6.0</FORMULA-VERSION>
<COMPANY-NAME AREGCIK="00000000" AACCOUNTTYPE="A">가온정밀(주)</COMPANY-NAME>
<SUMMARY><EXTRACTION ACODE="TOT_ASSETS" AFEATURE="BOTH">99999</EXTRACTION></SUMMARY>
<BODY ATOCID="9">
<COVER>
<COVER-TITLE ATOC="Y" ATOCID="1">사 업 보 고 서</COVER-TITLE>
<TABLE-GROUP ACLASS="COVER"><TABLE ACLASS="EXTRACTION"><TBODY>
<TR><TD COLSPAN="2">제 7 기</TD></TR>
<TR><TU AUNIT="PERIODFROM" AUNITVALUE="20250101">2025년 01월 01일</TU><TD>부터</TD></TR>
<TR><TU AUNIT="PERIODTO" AUNITVALUE="20251231">2025년 12월 31일</TU><TD>까지</TD></TR>
</TBODY></TABLE></TABLE-GROUP>
<IMAGE><IMG WIDTH="10">seal.jpg</IMG><IMG-CAPTION>대표이사 확인서</IMG-CAPTION></IMAGE>
</COVER>
<SECTION-1 ACLASS="MANDATORY">
<TITLE ATOC="Y" AASSOCNOTE="D-0-2-0-0">II. 사업의 내용</TITLE>
<LIBRARY><SECTION-2 ACLASS="MANDATORY">
<TITLE ATOC="Y" ENG="1. Business">1. 사업의 개요</TITLE>
<P USERMARK="F-10 "><SPAN USERMARK="F-BT ">주요 사업</SPAN>당사는 R&D와 정밀 부품을
<주력>으로 합니다.&cr;본사는 대전에 있습니다.</P>
</SECTION-2></LIBRARY>
</SECTION-1>
<SECTION-1>
<TITLE ATOC="Y">III. 재무에 관한 사항</TITLE>
<SECTION-2>
<TITLE ATOC="Y">2. 재무제표</TITLE>
<TABLE-GROUP ACLASS="PBS-2:A">
<TITLE ATOC="Y">재 무 상 태 표</TITLE>
<TABLE ACLASS="EXTRACTION"><TBODY>
<TR><TD COLSPAN="2">제 7(당)기 : 2025년 12월 31일 현재</TD></TR>
<TR><TD COLSPAN="2">제 6(전)기 : 2024년 12월 31일 현재</TD></TR>
<TR><TD>가온정밀 주식회사</TD><TU AUNIT="WON" AUNITVALUE="1000000">(단위 : 백만원)</TU></TR>
</TBODY></TABLE>
<TABLE ACLASS="FINANCE" BORDER="1"><THEAD>
<TR><TH ENG=""Accounts">과          목</TH><TH COLSPAN="2">제 7(당) 기</TH><TH COLSPAN="2">제 6(전) 기</TH></TR>
</THEAD><TBODY>
<TR><TE ACODE="1" ADELIM="0">자          산</TE><TE></TE><TE></TE><TE></TE><TE></TE></TR>
<TR><TE>Ⅰ.유동자산</TE><TE></TE><TE>12,840</TE><TE></TE><TE>11,305</TE></TR>
<TR><TE>1.현금및현금성자산 <주석3></TE><TE>4,120</TE><TE></TE><TE>3,970</TE><TE></TE></TR>
<TR><TE>2.재고자산</TE><TE>8,720</TE><TE></TE><TE>7,335</TE><TE></TE></TR>
</TBODY></TABLE>
</TABLE-GROUP>
</SECTION-2>
<SECTION-2>
<TITLE ATOC="Y">주 석</TITLE>
<P>1. 일반사항</P>
<P>회사는 2019년에 설립되었습니다.</P>
<P><SPAN USERMARK=" B">2. 유형자산</SPAN>당기 중 변동내역은 다음과 같습니다.<당기></P>
<TABLE ACLASS="NORMAL" BORDER="1"><TBODY>
<TR><TD COLSPAN="4">(단위: 천원)</TD></TR>
<TR><TD ROWSPAN="2">구  분</TD><TD COLSPAN="2">장부금액</TD><TD ROWSPAN="2">비고</TD></TR>
<TR><TD>기초</TD><TD>기말</TD></TR>
<TR><TD>토지</TD><TD>2,500,000</TD><TD>2,650,000</TD><TD>-</TD></TR>
<TR><TD>기계장치</TD><TD>1,930,400</TD><TD>1,722,150</TD><TD>담보</TD></TR>
</TBODY></TABLE>
</SECTION-2>
</SECTION-1>
</BODY>
</DOCUMENT>
"""

PAGE = """<!-- File: cover -->
<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">
<html style="border:0"><head><title></title><link href="/css/report_xml.css" rel="stylesheet" type="text/css"/></head>
<body><p class="cover-title"><a name="toc1">반 기 보 고 서</a></p>
<table class="nb"><tr><td rowspan="2">사업연도</td><td>2025년 01월 01일</td><td>부터</td></tr>
<tr><td>2025년 06월 30일</td><td>까지</td></tr></table>
<table class="nb"><tr><td>회      사      명 :</td><td>가온정밀 주식회사</td></tr>
<tr><td>대표 :</td><td>나</td></tr></table>
<p class="SECTION-1"><a name="toc1">III. 재무에 관한 사항</a></p>
<p class="section-2">4. 재무제표</p>
<table class="nb"><tr><td>현 금 흐 름 표</td></tr></table>
<table><tr><td style="background-color:#D7D7D7;">과&nbsp;&nbsp;목</td>
<td style="background-color:#D7D7D7;">제 7 기 반기</td></tr>
<tr><td>영업활동현금흐름</td><td>1,234</td></tr><tr><td>투자활동현금흐름</td><td>(560)</td></tr></table>
</body></html>
"""
